import type { InboxStore } from '../store/inbox-store.ts'
import {
  atOnce,
  CLOCK_SLACK_MS,
  claimRequest,
  type InboxStoreCheck,
  must,
  mustEqual,
  pause,
  stopwatch,
  take,
  until,
} from './store-check.ts'

/** What is expected, what references are bound to, and what lists show. */
export const expectChecks: readonly InboxStoreCheck[] = [
  {
    name: 'expect makes a record of state expected',
    run: async (store) => {
      mustEqual(await store.get('job'), undefined, 'there is no record yet.')
      await store.expect('job', { pollInMs: 60_000, ref: 'ref-1', context: { tenant: 7 } })
      const { ageMs = -1, dueInMs = -1, ...record } = (await store.get('job')) ?? {}
      const facts = {
        key: 'job',
        state: 'expected',
        fence: 0,
        attempt: 0,
        polls: 0,
        ref: 'ref-1',
        context: { tenant: 7 },
      }
      mustEqual(record, facts, 'an expected record has these facts.')
      must(ageMs >= 0 && ageMs < 30_000, '`ageMs` counts from its making.', ageMs)
      must(dueInMs > 30_000 && dueInMs <= 60_000, '`dueInMs` is `pollInMs` at first.', dueInMs)
    },
  },
  {
    name: 'expect leaves a record that is there as it is',
    run: async (store) => {
      await store.expect('job', { pollInMs: 60_000, ref: 'first', context: 'first' })
      await store.expect('job', { pollInMs: 0, ref: 'second', context: 'second' })
      const { ref, context, dueInMs = 0 } = (await store.get('job')) ?? {}
      mustEqual([ref, context], ['first', 'first'], 'reference and context are those that came first.')
      must(dueInMs > 30_000, 'the time of the first look stays.', dueInMs)
    },
  },
  {
    name: 'expect gives a record that is there the reference and the context that it lacks',
    run: async (store) => {
      const { lease } = await take(store, 'job')
      await store.expect('job', { pollInMs: 0, ref: 'late' })
      await store.expect('job', { pollInMs: 0, context: 'late' })
      await store.expect('job', { pollInMs: 0, ref: 'too late', context: 'too late' })
      const { state, ref, context, payload } = (await store.get('job')) ?? {}
      const wanted = { state: 'leased', ref: 'late', context: 'late', payload: { n: 1 } }
      mustEqual({ state, ref, context, payload }, wanted, 'the delivery may come before the expectation.')
      mustEqual(await store.complete(lease, { keepMs: 60_000 }), 'ok', 'the lease is not touched.')
      await store.expect('job', { pollInMs: 0 })
      mustEqual((await store.get('job'))?.state, 'done', 'what is done stays done.')
    },
  },
  {
    name: 'a context of null is a context',
    run: async (store) => {
      await store.expect('job', { pollInMs: 0, context: null })
      await store.expect('job', { pollInMs: 0, context: 'late' })
      mustEqual((await store.get('job'))?.context, null, 'null is not missing.')
    },
  },
  {
    name: 'expectations and claims at once make one record, and one claim acquires it',
    run: async (store) => {
      const [claims] = await Promise.all([
        atOnce(() => store.claim('job', claimRequest()), 25),
        atOnce(() => store.expect('job', { pollInMs: 0, context: 'mine' }), 25),
      ])
      mustEqual(claims.filter(({ kind }) => kind === 'acquired').length, 1, 'one claim acquires.')
      const { state, context, fence } = (await store.get('job')) ?? {}
      mustEqual({ state, context, fence }, { state: 'leased', context: 'mine', fence: 1 }, 'there is one record.')
    },
  },
  {
    name: 'of 50 binds of a reference at once, one key gets it, and all are told which',
    run: async (store) => {
      const keys = await atOnce((index) => store.bind('ref-1', `job-${index}`, 60_000))
      mustEqual(new Set(keys).size, 1, 'a reference has one key.')
      must(/^job-\d+$/.test(keys[0] ?? ''), 'the key is one that asked.', keys[0])
      mustEqual(await store.bind('ref-1', 'late', 60_000), keys[0], 'the first one keeps it.')
      mustEqual(await store.bind('ref-2', 'late', 60_000), 'late', 'another reference is free.')
    },
  },
  {
    name: 'a reference is free again when its time is over, and not before',
    run: async (store) => {
      const elapsedMs = stopwatch()
      await store.bind('ref-1', 'first', 80)
      await until('a reference is free again.', async () => {
        const key = await store.bind('ref-1', 'second', 60_000)
        return key === 'second' ? key : undefined
      })
      must(elapsedMs() >= 80 - CLOCK_SLACK_MS, 'a reference is bound for its time.', elapsedMs())
      mustEqual(await store.bind('ref-1', 'first', 60_000), 'second', 'the next one keeps it as well.')
    },
  },
  {
    name: 'list gives the records of one state in pages, the oldest first, each once',
    run: async (store) => {
      await expectInOrder(store)
      await take(store, 'other')
      mustEqual(await pages(store, 3), [...ORDER], 'the pages have every record once, in the order of their making.')
      const [first] = await store.list('expected', { limit: 1 })
      const wanted = await store.get(ORDER[0])
      const facts = (record = wanted) => ({ ...record, ageMs: 0, dueInMs: 0 })
      mustEqual(facts(first), facts(), 'a list has the same facts as `get`.')
    },
  },
  {
    name: 'the order of a list is that of the making, whatever became of the records since',
    run: async (store) => {
      await expectInOrder(store)
      await store.postpone(ORDER[0], 0, { kind: 'expect', pollInMs: 90_000 })
      const { lease } = await take(store, ORDER[1])
      await store.release(lease, { kind: 'expect', pollInMs: 0 })
      mustEqual(await pages(store, 2), [...ORDER], 'a record keeps its place.')
    },
  },
  {
    name: 'a list goes on after a record that has left the state',
    run: async (store) => {
      await expectInOrder(store)
      const [, second = ''] = (await store.list('expected', { limit: 2 })).map(({ key }) => key)
      await take(store, second)
      const rest = (await store.list('expected', { limit: 10, after: second })).map(({ key }) => key)
      mustEqual(rest, ORDER.slice(2), 'it goes on after the place of the last record.')
      const left = (await store.list('expected', { limit: 10 })).map(({ key }) => key)
      mustEqual(left, [ORDER[0], ...ORDER.slice(2)], 'what has left a state is not in its list.')
      const leased = (await store.list('leased', { limit: 10 })).map(({ key }) => key)
      mustEqual(leased, [second], 'each state has its own list.')
    },
  },
  {
    name: 'a list starts anew after a record that was forgotten',
    run: async (store) => {
      await expectInOrder(store)
      await store.postpone(ORDER[1], 0, { kind: 'forget' })
      const rest = (await store.list('expected', { limit: 10, after: ORDER[1] })).map(({ key }) => key)
      mustEqual(rest, [ORDER[0], ...ORDER.slice(2)], 'rather twice than never.')
    },
  },
]

/** Neither in the order of the alphabet nor against it. */
const ORDER = ['m', 'z', 'a', 'k', 'x', 'b', 'y'] as const

/** Apart by more than a millisecond, which is as fine as clocks of stores are. */
async function expectInOrder(store: InboxStore): Promise<void> {
  for (const key of ORDER) {
    await store.expect(key, { pollInMs: 60_000 })
    await pause(5)
  }
}

async function pages(store: InboxStore, limit: number): Promise<string[]> {
  const keys: string[] = []
  for (;;) {
    const page = await store.list('expected', { limit, after: keys.at(-1) })
    must(page.length <= limit, 'a page has no more records than its limit.', page.length)
    keys.push(...page.map(({ key }) => key))
    if (page.length === 0) return keys
    must(keys.length < 100, 'the pages of a list end.', keys)
  }
}
