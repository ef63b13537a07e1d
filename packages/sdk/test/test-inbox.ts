import type { Job } from '@modelrun/contract'
import { fixtures } from '@modelrun/contract/fixtures'
import { createMemoryEngine } from '../src/webhooks/engine/memory-engine.ts'
import { createInbox, type Inbox } from '../src/webhooks/inbox.ts'
import type { InboxOptions } from '../src/webhooks/inbox-options.ts'
import { createFaultyEngine, type FaultyEngine } from './faulty-engine.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'

/** Deliveries and jobs as the service sends them. */
export const SUCCEEDED = fixtures.webhooks.succeeded.body
export const FAILED = fixtures.webhooks.failed.body
export const SUCCEEDED_JOB: Job = fixtures.jobs.succeeded.body.data

export const SECRET = 'a secret of tests that has 32 bytes or more'
export const PUBLIC_URL = 'https://app.example.com/hook'

type NoticeName = 'onHandlerError' | 'onDead' | 'onUnconfirmedRun' | 'onWebhookMissed'
const NOTICES: readonly NoticeName[] = ['onHandlerError', 'onDead', 'onUnconfirmedRun', 'onWebhookMissed']

/** What the hooks of an inbox were called with. */
export interface RecordedHooks {
  notices: Record<NoticeName, Record<string, unknown>[]>
}

/** Hooks that record their calls. */
export function recordHooks(): RecordedHooks & { hooks: Pick<InboxOptions, NoticeName> } {
  const notices = Object.fromEntries(NOTICES.map((name) => [name, []])) as unknown as RecordedHooks['notices']
  const hooks = Object.fromEntries(
    NOTICES.map((name) => [name, (notice: Record<string, unknown>) => void notices[name].push(notice)]),
  )
  return { notices, hooks }
}

/** An inbox under test, and its fakes. */
export interface InboxHarness extends RecordedHooks {
  inbox: Inbox
  /** How often `onSucceeded` has returned. */
  handled(): number
  clock: ManualClock
  /** Posts a body, by default to a URL that the inbox has signed or needs not, and gives the status of the response. */
  deliver(body: unknown, url?: string): Promise<number>
}

/** An inbox on a manual clock, in memory, with hooks that record their calls. Without a client and a secret it has a secret. */
export function openInbox(options: InboxOptions & { clock?: ManualClock } = {}): InboxHarness {
  const clock = options.clock ?? createManualClock()
  const { hooks, ...recorded } = recordHooks()
  const isSigned = options.client === undefined && options.secret === undefined
  const source = isSigned ? { secret: SECRET, publicUrl: PUBLIC_URL } : {}
  let returned = 0
  const { onSucceeded = () => {} } = options
  const handled: InboxOptions['onSucceeded'] = async (...given) => {
    await onSucceeded(...given)
    returned += 1
  }
  const isBare = 'onSucceeded' in options && options.onSucceeded === undefined
  const inbox = createInbox({ ...hooks, ...source, ...options, onSucceeded: isBare ? undefined : handled, clock })
  return {
    inbox,
    clock,
    handled: () => returned,
    ...recorded,
    deliver: async (body, url) => {
      const target = url ?? (isSigned ? await inbox.callbackUrl() : PUBLIC_URL)
      const request = new Request(target, { method: 'POST', body: JSON.stringify(body) })
      return (await inbox.handle(request)).status
    },
  }
}

/** An engine in memory that several inboxes of one test share, as processes share a database. It fails on demand. */
export function openEngine(clock = createManualClock()): { clock: ManualClock; engine: FaultyEngine } {
  return { clock, engine: createFaultyEngine(createMemoryEngine(clock)) }
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

/** A client of a service that confirms the delivery {@link SUCCEEDED}, for an inbox that takes deliveries without a token. */
export const { client: CONFIRMING } = jobsOf(() => ({ status: 'succeeded', output: SUCCEEDED.output }))

/** A promise that a test settles itself. */
export function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** An inbox that was started, and the times of the polls of its jobs in milliseconds. */
export function openStartedInbox(state: () => Job, options: Omit<InboxOptions, 'clock'> = {}) {
  const clock = createManualClock()
  const startedAt = clock.now()
  const times: number[] = []
  const { client, calls } = jobsOf(() => {
    times.push(clock.now() - startedAt)
    return state()
  })
  const harness = openInbox({ clock, client, ...options })
  harness.inbox.start()
  return { ...harness, clock, calls, times }
}
