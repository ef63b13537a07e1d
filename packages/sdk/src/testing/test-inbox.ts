import type { Job } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { createInbox, type Inbox } from '../webhooks/inbox.ts'
import type { InboxMetric } from '../webhooks/inbox-notices.ts'
import type { InboxOptions } from '../webhooks/inbox-options.ts'
import type { InboxStore } from '../webhooks/store/inbox-store.ts'
import { createMemoryStore } from '../webhooks/store/memory-store.ts'
import { createFaultyStore } from './faulty-store.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'

/** Deliveries and jobs as the service sends them. */
export const SUCCEEDED = fixtures.webhooks.succeeded.body
export const FAILED = fixtures.webhooks.failed.body
export const SUCCEEDED_JOB: Job = fixtures.jobs.succeeded.body.data

export const SECRET = 'a secret of tests that has 32 bytes or more'
export const PUBLIC_URL = 'https://app.example.com/hook'

type NoticeName = 'onHandlerError' | 'onDead' | 'onLost' | 'onOrphanIntent' | 'onWebhookMissed' | 'onConflict'
const NOTICES: readonly NoticeName[] = [
  'onHandlerError',
  'onDead',
  'onLost',
  'onOrphanIntent',
  'onWebhookMissed',
  'onConflict',
]

/** What a test of an inbox plays with. */
export interface InboxBench {
  inbox: Inbox
  clock: ManualClock
  store: InboxStore
  /** What each hook was told. */
  told: Record<NoticeName, Record<string, unknown>[]>
  metrics: InboxMetric[]
  /** How often a metric was counted. */
  count(name: InboxMetric['name']): number
  /** Posts a body, and gives the status of the answer. */
  deliver(body: unknown, url?: string): Promise<number>
}

/** An inbox on a manual clock, with the longest delays, a memory store, and hooks that take notes. */
export function openInbox(options: InboxOptions & { clock?: ManualClock } = {}): InboxBench {
  const clock = options.clock ?? createManualClock()
  const store = options.store ?? createMemoryStore({ clock })
  const told = Object.fromEntries(NOTICES.map((name) => [name, []])) as unknown as InboxBench['told']
  const hooks = Object.fromEntries(
    NOTICES.map((name) => [name, (notice: Record<string, unknown>) => void told[name].push(notice)]),
  )
  const metrics: InboxMetric[] = []
  const onMetric = (metric: InboxMetric) => void metrics.push(metric)
  const trust = options.client || options.secret ? {} : { trust: 'payload' as const }
  const inbox = createInbox({
    random: () => 1,
    onSucceeded: () => {},
    ...hooks,
    onMetric,
    ...trust,
    ...options,
    clock,
    store,
  })
  return {
    inbox,
    clock,
    store,
    told,
    metrics,
    count: (name) => metrics.filter((metric) => metric.name === name).length,
    deliver: async (body, url = PUBLIC_URL) => {
      const request = new Request(url, { method: 'POST', body: JSON.stringify(body) })
      return (await inbox.handle(request)).status
    },
  }
}

/** A service whose job is what `state` says at the time; `calls` are the ids that were asked for. */
export function jobsOf(state: (id: string) => Job | Promise<Job>) {
  const calls: string[] = []
  const get = async (id: string) => {
    calls.push(id)
    return await state(id)
  }
  return { client: { jobs: { get } }, calls }
}

/** A promise that a test settles itself. */
export function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** An inbox whose handler runs until the test ends it, on a store that fails when told to. */
export function openBusyInbox(options: Omit<InboxOptions, 'clock'> = {}) {
  const clock = createManualClock()
  const store = createFaultyStore(createMemoryStore({ clock }))
  const { opened, open: finish } = gate()
  const signals: AbortSignal[] = []
  const onSucceeded: InboxOptions['onSucceeded'] = async (_, { signal }) => {
    signals.push(signal)
    await opened
  }
  const bench = openInbox({ clock, store, onSucceeded, ...options })
  return { ...bench, clock, store, finish, signals }
}

/** An inbox that was started, and the times of the looks at its jobs in milliseconds. */
export function openStartedInbox(state: () => Job, options: Omit<InboxOptions, 'clock'> = {}) {
  const clock = createManualClock()
  const startedAt = clock.now()
  const times: number[] = []
  const { client, calls } = jobsOf(() => {
    times.push(clock.now() - startedAt)
    return state()
  })
  // 0.5: no jitter of ±20 %.
  const bench = openInbox({ clock, client, random: () => 0.5, ...options })
  bench.inbox.start()
  return { ...bench, clock, calls, times }
}
