import type { InboxStore, NextStep } from '../store/inbox-store.ts'
import { atOnce, bury, type InboxStoreCheck, must, mustEqual, storedRequest, take } from './store-check.ts'

/** What becomes of a record that was not handled: `release`, `postpone` and `replay`. */
export const nextStepChecks: readonly InboxStoreCheck[] = [
  {
    name: 'release for a retry keeps payload and attempt',
    run: async (store) => {
      const { lease } = await take(store, 'job', { payload: 'kept' })
      mustEqual(await store.release(lease, { kind: 'retry', inMs: 60_000 }, 'boom'), 'ok', 'the holder can release.')
      await mustBe(store, { state: 'retry', payload: 'kept', attempt: 1, polls: 0, lastError: 'boom' })
      await mustBeDueIn(store, 60_000)
    },
  },
  {
    name: 'a free retry gives its attempt back, but not its fence',
    run: async (store) => {
      const { lease } = await take(store, 'job')
      await store.release(lease, { kind: 'retry', inMs: 0, isFree: true })
      await mustBe(store, { state: 'retry', attempt: 0 })
      const { lease: second } = await take(store, 'job', storedRequest())
      mustEqual([second.fence, second.attempt], [2, 1], 'the next claim has the same attempt and a higher fence.')
      await store.release(second, { kind: 'retry', inMs: 0, isFree: false })
      await mustBe(store, { attempt: 1 })
    },
  },
  {
    name: 'release to expect drops payload and fingerprint, and the attempts start anew',
    run: async (store) => {
      await store.expect('job', { pollInMs: 0, ref: 'ref-1', context: 'mine' })
      await store.postpone('job', 0, { kind: 'expect', pollInMs: 0 })
      const { lease } = await take(store, 'job', { payload: 'doubtful', fingerprint: 'one' })
      await store.release(lease, { kind: 'expect', pollInMs: 60_000 }, 'not confirmed')
      const wanted = { attempt: 0, polls: 1, ref: 'ref-1', context: 'mine', lastError: 'not confirmed' }
      await mustBe(store, { state: 'expected', payload: undefined, ...wanted })
      await mustBeDueIn(store, 60_000)
      const { payload, samePayload, lease: next } = await take(store, 'job', { payload: 'true', fingerprint: 'two' })
      const found = { payload, samePayload, fence: next.fence, attempt: next.attempt }
      mustEqual(found, { payload: 'true', samePayload: true, fence: 2, attempt: 1 }, 'the next delivery is the first.')
    },
  },
  {
    name: 'release to dead keeps the payload for inspection',
    run: async (store) => {
      const { lease } = await take(store, 'job', { payload: 'kept' })
      await store.release(lease, { kind: 'dead', keepMs: 60_000 }, 'gave up')
      await mustBe(store, { state: 'dead', payload: 'kept', lastError: 'gave up' })
      await mustBeDueIn(store, 60_000)
    },
  },
  {
    name: 'release to forget removes the record',
    run: async (store) => {
      const { lease } = await take(store, 'job')
      await store.release(lease, { kind: 'forget' })
      mustEqual(await store.get('job'), undefined, 'it is gone.')
      mustEqual(await store.list('leased', { limit: 10 }), [], 'it is gone from the list.')
      mustEqual((await take(store, 'job')).lease.fence, 1, 'the next delivery makes a new record.')
    },
  },
  {
    name: 'the last error is kept until there is a newer one',
    run: async (store) => {
      for (const [error, wanted] of [['first'], [undefined, 'first'], ['second', 'second']]) {
        const { lease } = await take(store, 'job')
        await store.release(lease, { kind: 'retry', inMs: 0 }, ...(error === undefined ? [] : [error]))
        await mustBe(store, { lastError: wanted ?? error })
      }
    },
  },
  {
    name: 'of 50 postpones of one look at once, one succeeds',
    run: async (store) => {
      await store.expect('job', { pollInMs: 0 })
      const results = await atOnce(() => store.postpone('job', 0, { kind: 'expect', pollInMs: 60_000 }))
      mustEqual(results.filter(Boolean).length, 1, 'only one poller may look at a job at a time.')
      await mustBe(store, { state: 'expected', polls: 1 })
      await mustBeDueIn(store, 60_000)
    },
  },
  {
    name: 'postpone goes on from the polls that it is told, and from no others',
    run: async (store) => {
      await store.expect('job', { pollInMs: 0 })
      const step: NextStep = { kind: 'expect', pollInMs: 0 }
      mustEqual(await store.postpone('job', 0, step, 'still running'), true, 'the first poll is counted.')
      mustEqual(await store.postpone('job', 0, step), false, 'somebody else was there before.')
      mustEqual(await store.postpone('job', 1, step), true, 'the second poll is counted.')
      await mustBe(store, { state: 'expected', polls: 2, lastError: 'still running' })
    },
  },
  {
    name: 'postpone moves nothing but expected records',
    run: async (store) => {
      const step: NextStep = { kind: 'forget' }
      mustEqual(await store.postpone('job', 0, step), false, 'there is no record.')
      const { lease } = await take(store, 'job')
      mustEqual(await store.postpone('job', 0, step), false, 'a worker has it.')
      await store.complete(lease, { keepMs: 60_000 })
      mustEqual(await store.postpone('job', 0, step), false, 'it is done.')
      await mustBe(store, { state: 'done', polls: 0 })
    },
  },
  {
    name: 'postpone can end the wait: as dead, as a retry, or forgotten',
    run: async (store) => {
      for (const kind of ['dead', 'retry', 'forget'] as const) await store.expect(kind, { pollInMs: 0 })
      await store.postpone('dead', 0, { kind: 'dead', keepMs: 60_000 }, 'lost')
      await store.postpone('retry', 0, { kind: 'retry', inMs: 60_000 })
      await store.postpone('forget', 0, { kind: 'forget' })
      const records = await Promise.all(['dead', 'retry', 'forget'].map((key) => store.get(key)))
      mustEqual(
        records.map((record) => [record?.state, record?.polls]),
        [
          ['dead', 1],
          ['retry', 1],
          [undefined, undefined],
        ],
        'every next step is one for an expected record too.',
      )
      mustEqual(records[0]?.lastError, 'lost', 'the reason is kept.')
    },
  },
  {
    name: 'replay makes a dead record with a payload due for a retry, with its attempts anew',
    run: async (store) => {
      const { lease } = await take(store, 'job', { payload: 'kept' })
      await store.release(lease, { kind: 'dead', keepMs: 60_000 })
      mustEqual(await store.replay('job'), true, 'a dead record can be replayed.')
      await mustBe(store, { state: 'retry', payload: 'kept', attempt: 0 })
      const { payload, lease: second } = await take(store, 'job', storedRequest())
      mustEqual([payload, second.fence, second.attempt], ['kept', 2, 1], 'it is tried again from the start.')
    },
  },
  {
    name: 'replay makes a dead record without a payload expected, with its polls anew',
    run: async (store) => {
      await store.expect('job', { pollInMs: 0 })
      await store.postpone('job', 0, { kind: 'dead', keepMs: 60_000 })
      mustEqual(await store.replay('job'), true, 'a dead record can be replayed.')
      await mustBe(store, { state: 'expected', polls: 0 })
      const [due] = await store.due(1, 'poll')
      mustEqual([due?.key, due?.reason], ['job', 'poll'], 'it is looked at now.')
    },
  },
  {
    name: 'replay of 50 callers at once happens once, and never to a record that is not dead',
    run: async (store) => {
      mustEqual(await store.replay('job'), false, 'there is no record.')
      await bury(store, 'job', true)
      const results = await atOnce(() => store.replay('job'))
      mustEqual(results.filter(Boolean).length, 1, 'it is dead for one caller.')
      await take(store, 'job', storedRequest())
      mustEqual(await store.replay('job'), false, 'a worker has it.')
      await mustBe(store, { state: 'leased' })
    },
  },
]

async function mustBe(store: InboxStore, wanted: Record<string, unknown>): Promise<void> {
  const record: object = (await store.get('job')) ?? {}
  const found = Object.fromEntries(Object.keys(wanted).map((name) => [name, Reflect.get(record, name)]))
  mustEqual(found, wanted, 'the record is as the step before left it.')
}

async function mustBeDueIn(store: InboxStore, ms: number): Promise<void> {
  const dueInMs = (await store.get('job'))?.dueInMs ?? 0
  must(dueInMs > ms / 2 && dueInMs <= ms, '`dueInMs` is the time that the step asked for.', dueInMs)
}
