import { readFile } from 'node:fs/promises'
import {
  createMemoryStore,
  type InboxMetricName,
  type InboxRecord,
  type InboxStore,
  type Lease,
  type NextStep,
} from 'modelrun/webhooks'
import { expect, it } from 'vitest'

const guide = await readFile(new URL('../../../docs/guides/webhooks.md', import.meta.url), 'utf8')

const KEY = 'job_1'
const KEEP_MS = 1_000_000
const CLAIM = { owner: 'me', leaseMs: 1, fingerprint: 'f' }
const DELIVERY = { ...CLAIM, payload: { job_id: KEY } }

/** A store whose time is set by hand, and the record that is looked at. */
function openStore() {
  let now = 0
  const store = createMemoryStore({ clock: { now: () => now } })
  const wait = (ms: number) => {
    now += ms
  }
  return { store, wait }
}

async function take(store: InboxStore): Promise<Lease> {
  const result = await store.claim(KEY, DELIVERY)
  if (result.kind !== 'acquired') throw new Error(`The record is ${result.kind}.`)
  return result.lease
}

/** How a record comes into each state; gives its lease, if it had one. */
const STATES: Record<string, (store: InboxStore) => Promise<Lease | undefined>> = {
  none: async () => undefined,
  expected: async (store) => void (await store.expect(KEY, { pollInMs: 0 })),
  leased: take,
  retry: async (store) => released(store, await take(store), { kind: 'retry', inMs: 0 }),
  done: async (store) => {
    const lease = await take(store)
    await store.complete(lease, { keepMs: KEEP_MS })
    return lease
  },
  dead: async (store) => released(store, await take(store), { kind: 'dead', keepMs: KEEP_MS }),
  lost: async (store) => {
    await store.expect(KEY, { pollInMs: 0 })
    await store.postpone(KEY, 0, { kind: 'dead', keepMs: KEEP_MS })
    return undefined
  },
}

async function released(store: InboxStore, lease: Lease, next: NextStep): Promise<Lease> {
  await store.release(lease, next)
  return lease
}

/** Every step that the inbox takes. */
const STEPS: ((store: InboxStore, lease: Lease, wait: (ms: number) => void) => Promise<unknown>)[] = [
  (store) => store.expect(KEY, { pollInMs: 0 }),
  (store) => store.claim(KEY, DELIVERY),
  (store) => store.claim(KEY, CLAIM),
  (store, lease) => store.complete(lease, { keepMs: KEEP_MS }),
  (store, lease) => store.release(lease, { kind: 'retry', inMs: 0 }),
  (store, lease) => store.release(lease, { kind: 'expect', pollInMs: 0 }),
  (store, lease) => store.release(lease, { kind: 'dead', keepMs: KEEP_MS }),
  (store, lease) => store.release(lease, { kind: 'forget' }),
  (store) => store.postpone(KEY, 0, { kind: 'expect', pollInMs: 0 }),
  (store) => store.postpone(KEY, 0, { kind: 'dead', keepMs: KEEP_MS }),
  (store) => store.postpone(KEY, 0, { kind: 'forget' }),
  (store) => store.replay(KEY),
  (store, _, wait) => {
    wait(KEEP_MS)
    return store.due(10, 'work')
  },
]

const stateOf = (record: InboxRecord | undefined) => record?.state ?? '[*]'

/** The arrow that a step makes of a record in a state, if it changes it. */
async function arrowOf(enter: (typeof STATES)[string], step: (typeof STEPS)[number]): Promise<string | undefined> {
  const { store, wait } = openStore()
  const lease = (await enter(store)) ?? { key: KEY, owner: 'nobody', fence: 0, attempt: 0 }
  wait(10)
  const before = await store.get(KEY)
  await step(store, lease, wait)
  const after = await store.get(KEY)
  const facts = (record: InboxRecord | undefined) => [record?.state, record?.fence, record?.polls].join()
  return facts(before) === facts(after) ? undefined : `${stateOf(before)} --> ${stateOf(after)}`
}

it('draws the states of a record and the ways between them as they are', async () => {
  const [, picture = ''] = /```mermaid\n(.*?)```/s.exec(guide) ?? []
  const drawn = [...picture.matchAll(/^ {2}(\S+ --> [^:]+): .+$/gm)].map(([, arrow]) => arrow)
  const arrows = new Set<string>()
  for (const enter of Object.values(STATES)) {
    for (const step of STEPS) {
      const arrow = await arrowOf(enter, step)
      if (arrow !== undefined) arrows.add(arrow)
    }
  }
  expect(drawn.sort()).toEqual([...arrows].sort())
})

it('explains every metric', () => {
  const metrics: Record<InboxMetricName, true> = {
    claimed: true,
    busy: true,
    done: true,
    mismatch: true,
    reclaimed: true,
    lost_lease: true,
    reconciled: true,
    dead: true,
    completed: true,
    ack_ms: true,
  }
  const [, section = ''] = guide.split('## Metrics\n')
  for (const name of Object.keys(metrics)) expect(section).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\|`, 'm'))
})
