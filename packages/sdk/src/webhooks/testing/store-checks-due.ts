import type { InboxStore } from '../store/inbox-store.ts'
import {
  bury,
  CLOCK_SLACK_MS,
  type InboxStoreCheck,
  must,
  mustEqual,
  pause,
  stopwatch,
  storedRequest,
  take,
  until,
} from './store-check.ts'

/** What `due` tells, and what it forgets. */
export const dueChecks: readonly InboxStoreCheck[] = [
  {
    name: 'due tells leases that ran out and retries as work, and expected records as polls',
    run: async (store) => {
      const { lease } = await take(store, 'retry')
      await store.release(lease, { kind: 'retry', inMs: 0 })
      await take(store, 'lease', { leaseMs: 1 })
      await store.expect('poll', { pollInMs: 0 })
      const work = await until('two records are due for work.', async () => {
        const due = await store.due(10, 'work')
        return due.length >= 2 ? due : undefined
      })
      const reasons = Object.fromEntries(work.map(({ key, reason }) => [key, reason]))
      mustEqual(reasons, { retry: 'retry', lease: 'lease_expired' }, 'work is told with its reason, and no polls.')
      const polls = (await store.due(10, 'poll')).map(({ key, reason }) => [key, reason])
      mustEqual(polls, [['poll', 'poll']], 'polls are told with their reason, and no work.')
    },
  },
  {
    name: 'due tells nothing that is not due, done or dead',
    run: async (store) => {
      await store.expect('expected', { pollInMs: 60_000 })
      await take(store, 'leased')
      const { lease } = await take(store, 'retry')
      await store.release(lease, { kind: 'retry', inMs: 60_000 })
      await store.complete((await take(store, 'done')).lease, { keepMs: 0 })
      await bury(store, 'dead', true)
      mustEqual([await store.due(10, 'work'), await store.due(10, 'poll')], [[], []], 'nothing is due.')
    },
  },
  {
    name: 'due tells the longest overdue first',
    run: async (store) => {
      for (const key of ['b', 'a', 'c']) await store.expect(key, { pollInMs: 0 })
      // Later than the others, although it was made first and its key is in the middle.
      await pause(10)
      await store.postpone('b', 0, { kind: 'expect', pollInMs: 0 })
      await pause(10)
      await store.postpone('a', 0, { kind: 'expect', pollInMs: 0 })
      mustEqual(await keysDue(store, 10), ['c', 'b', 'a'], 'the order is that of the times when they were due.')
    },
  },
  {
    name: 'due tells no more than its limit, and the rest when the first are gone',
    run: async (store) => {
      for (const key of ['e', 'd', 'c', 'b', 'a']) {
        await store.expect(key, { pollInMs: 0 })
        await pause(5)
      }
      mustEqual(await keysDue(store, 2), ['e', 'd'], 'a limit is a limit.')
      mustEqual(await keysDue(store, 2), ['e', 'd'], 'being told changes nothing: it is only a hint.')
      for (const key of ['e', 'd']) await store.postpone(key, 0, { kind: 'expect', pollInMs: 60_000 })
      mustEqual(await keysDue(store, 2), ['c', 'b'], 'what was postponed is not due.')
    },
  },
  {
    name: 'due tells polls, age and context',
    run: async (store) => {
      const ageMs = stopwatch()
      await store.expect('job', { pollInMs: 0, context: { tenant: 7 } })
      await pause(50)
      await store.postpone('job', 0, { kind: 'expect', pollInMs: 0 })
      const [due] = await store.due(1, 'poll')
      const { key, polls, context } = due ?? {}
      mustEqual({ key, polls, context }, { key: 'job', polls: 1, context: { tenant: 7 } }, 'these are its facts.')
      const found = due?.ageMs ?? -1
      must(found >= 50 - CLOCK_SLACK_MS && found <= ageMs() + CLOCK_SLACK_MS, '`ageMs` counts from its making.', found)
    },
  },
  {
    name: 'a lease is due when it has ended, and not before',
    run: async (store) => {
      const elapsedMs = stopwatch()
      await take(store, 'job', { leaseMs: 80 })
      await until('a lease that ran out is due.', async () => (await store.due(10, 'work'))[0])
      must(elapsedMs() >= 80 - CLOCK_SLACK_MS, 'a lease is not due before it ends.', elapsedMs())
    },
  },
  {
    name: 'unfinished records are never forgotten, however long they are overdue',
    run: async (store) => {
      await store.expect('expected', { pollInMs: 0 })
      await take(store, 'leased', { leaseMs: 1, payload: 'kept' })
      await store.release((await take(store, 'retry')).lease, { kind: 'retry', inMs: 0 })
      await pause(150)
      for (const kind of ['work', 'poll'] as const) await store.due(10, kind)
      const states = await Promise.all(
        ['expected', 'leased', 'retry'].map(async (key) => (await store.get(key))?.state),
      )
      mustEqual(states, ['expected', 'leased', 'retry'], 'a record that is forgotten is a lost result.')
      mustEqual((await take(store, 'leased', storedRequest())).payload, 'kept', 'its payload is there too.')
    },
  },
  {
    name: 'done and dead records are forgotten by due when their time is over',
    run: async (store) => {
      await store.complete((await take(store, 'done')).lease, { keepMs: 30 })
      await store.release((await take(store, 'dead')).lease, { kind: 'dead', keepMs: 30 })
      await until('finished records are forgotten.', async () => {
        await store.due(1, 'work')
        const left = [await store.get('done'), await store.get('dead')].filter((record) => record !== undefined)
        return left.length === 0 ? true : undefined
      })
      const lists = [await store.list('done', { limit: 10 }), await store.list('dead', { limit: 10 })]
      mustEqual(lists, [[], []], 'what is forgotten is in no list.')
      mustEqual((await take(store, 'done')).lease.fence, 1, 'the next delivery makes a new record.')
    },
  },
  {
    name: 'done and dead records are kept for their time',
    run: async (store) => {
      await store.complete((await take(store, 'done')).lease, { keepMs: 60_000 })
      await bury(store, 'dead', true)
      await pause(50)
      for (const kind of ['work', 'poll'] as const) await store.due(10, kind)
      const states = await Promise.all(['done', 'dead'].map(async (key) => (await store.get(key))?.state))
      mustEqual(states, ['done', 'dead'], 'they are remembered, to tell duplicates.')
    },
  },
  {
    name: 'a record that was replayed is not forgotten at the time that it had as a dead one',
    run: async (store) => {
      await store.release((await take(store, 'job')).lease, { kind: 'dead', keepMs: 60 })
      await store.replay('job')
      await pause(100)
      await store.due(10, 'work')
      mustEqual((await store.get('job'))?.state, 'retry', 'it is unfinished again.')
    },
  },
]

async function keysDue(store: InboxStore, limit: number): Promise<string[]> {
  return (await store.due(limit, 'poll')).map(({ key }) => key)
}
