import type { ClaimResult, InboxStore } from '../store/inbox-store.ts'
import {
  atOnce,
  bury,
  CLOCK_SLACK_MS,
  claimRequest,
  type InboxStoreCheck,
  must,
  mustEqual,
  stopwatch,
  storedRequest,
  take,
  until,
} from './store-check.ts'

/** Who gets a record, and what a claim finds. */
export const claimChecks: readonly InboxStoreCheck[] = [
  {
    name: 'of 50 claims of a new record at once, one acquires it and the others find it busy',
    run: async (store) => {
      oneOf(await atOnce(() => store.claim('job', claimRequest())))
    },
  },
  {
    name: 'of 50 claims of an expected record at once, one acquires it',
    run: async (store) => {
      await store.expect('job', { pollInMs: 60_000 })
      oneOf(await atOnce(() => store.claim('job', claimRequest())))
    },
  },
  {
    name: 'of 50 claims of a record whose retry is due, one acquires it',
    run: async (store) => {
      const { lease } = await take(store, 'job')
      await store.release(lease, { kind: 'retry', inMs: 0 })
      await untilDue(store)
      oneOf(await atOnce(() => store.claim('job', storedRequest())))
    },
  },
  {
    name: 'of 50 claims of a record whose lease ran out, one acquires it',
    run: async (store) => {
      await take(store, 'job', { leaseMs: 1 })
      await untilDue(store)
      const winner = oneOf(await atOnce(() => store.claim('job', storedRequest())))
      must(winner.isReclaimed, 'a claim after a lease that ran out says so with `isReclaimed`.', winner)
    },
  },
  {
    name: 'claims of 50 records at once acquire each',
    run: async (store) => {
      const results = await atOnce((index) => store.claim(`job-${index}`, claimRequest({ payload: index })))
      const payloads = results.map((result) => result.kind === 'acquired' && result.payload)
      mustEqual(payloads, Object.keys(payloads).map(Number), 'a record is exclusive, not the store.')
    },
  },
  {
    name: 'the first claim gives back what it delivered, with fence 1 and attempt 1',
    run: async (store) => {
      const request = claimRequest({ payload: { a: [1, 'two', null] } })
      const wanted = {
        kind: 'acquired',
        lease: { key: 'job', owner: request.owner, fence: 1, attempt: 1 },
        payload: { a: [1, 'two', null] },
        samePayload: true,
        isReclaimed: false,
      }
      mustEqual(await store.claim('job', request), wanted, 'a first claim gives these facts.')
    },
  },
  {
    name: 'fence and attempt rise by 1 with each claim',
    run: async (store) => {
      for (const wanted of [1, 2, 3, 4]) {
        const { lease } = await take(store, 'job')
        mustEqual([lease.fence, lease.attempt], [wanted, wanted], 'fence and attempt rise by 1 with each claim.')
        await store.release(lease, { kind: 'retry', inMs: 0 })
      }
    },
  },
  {
    name: 'a lease keeps the record from others until it ends, then it is taken with the payload of the first',
    run: async (store) => {
      const leaseMs = 80
      const sentence = 'a record can be claimed when its lease has ended.'
      const elapsedMs = stopwatch()
      await take(store, 'job', { leaseMs, payload: 'first' })
      const seen = await until(sentence, async () => {
        const result = await store.claim('job', claimRequest({ payload: 'second', fingerprint: 'other' }))
        return result.kind === 'acquired' ? result : undefined
      })
      must(elapsedMs() >= leaseMs - CLOCK_SLACK_MS, `a lease of ${leaseMs} ms lasts that long.`, elapsedMs())
      const { payload, samePayload, isReclaimed, lease } = seen
      const found = { payload, samePayload, isReclaimed, fence: lease.fence }
      const wanted = { payload: 'first', samePayload: false, isReclaimed: true, fence: 2 }
      mustEqual(found, wanted, 'the payload that was stored first wins.')
    },
  },
  {
    name: 'busy tells how long the lease has to go',
    run: async (store) => {
      await take(store, 'job', { leaseMs: 60_000 })
      mustBeOff(await store.claim('job', claimRequest()), 'busy', 60_000)
    },
  },
  {
    name: 'a retry that is not due is waiting, for a new delivery too',
    run: async (store) => {
      const { lease } = await take(store, 'job')
      await store.release(lease, { kind: 'retry', inMs: 60_000 })
      mustBeOff(await store.claim('job', claimRequest()), 'waiting', 60_000)
      mustBeOff(await store.claim('job', storedRequest()), 'waiting', 60_000)
    },
  },
  {
    name: 'a retry can be claimed when its time has come, and not before',
    run: async (store) => {
      const inMs = 80
      const { lease } = await take(store, 'job')
      const elapsedMs = stopwatch()
      await store.release(lease, { kind: 'retry', inMs })
      const seen = await until('a retry can be claimed when it is due.', async () => {
        const result = await store.claim('job', storedRequest())
        return result.kind === 'acquired' ? result : undefined
      })
      must(elapsedMs() >= inMs - CLOCK_SLACK_MS, `a retry in ${inMs} ms waits that long.`, elapsedMs())
      must(!seen.isReclaimed, '`isReclaimed` is for leases that ran out, not for retries.', seen)
    },
  },
  {
    name: 'a claim with an equal fingerprint has the same payload, one with another has not, in every state',
    run: async (store) => {
      const { lease } = await take(store, 'job', { fingerprint: 'one' })
      await mustCompare(store, 'busy')
      await store.release(lease, { kind: 'dead', keepMs: 60_000 })
      await mustCompare(store, 'dead')
      await store.replay('job')
      const { lease: second } = await take(store, 'job', storedRequest())
      await store.release(second, { kind: 'retry', inMs: 60_000 })
      await mustCompare(store, 'waiting')
    },
  },
  {
    name: 'duplicates of a record that is done are still told from other payloads',
    run: async (store) => {
      const { lease } = await take(store, 'job', { fingerprint: 'one' })
      await store.complete(lease, { keepMs: 60_000 })
      await mustCompare(store, 'done')
    },
  },
  {
    name: 'a claim without a payload takes the one that is stored',
    run: async (store) => {
      const { lease } = await take(store, 'job', { payload: ['stored'] })
      await store.release(lease, { kind: 'retry', inMs: 0 })
      const { payload, samePayload } = await take(store, 'job', storedRequest({ fingerprint: 'other' }))
      mustEqual({ payload, samePayload }, { payload: ['stored'], samePayload: true }, 'it has nothing that differs.')
    },
  },
  {
    name: 'a claim without a payload never makes a record',
    run: async (store) => {
      mustEqual((await store.claim('job', storedRequest())).kind, 'done', 'it finds `done` where there is no record.')
      mustEqual(await store.get('job'), undefined, 'a claim without a payload leaves no record.')
      mustEqual(await store.list('leased', { limit: 10 }), [], 'a claim without a payload leaves no record.')
    },
  },
  {
    name: 'a payload that comes after a claim without one is stored',
    run: async (store) => {
      await store.expect('job', { pollInMs: 0 })
      const { lease, payload } = await take(store, 'job', storedRequest({ fingerprint: 'none' }))
      mustEqual(payload, undefined, 'an expected record has no payload.')
      await store.release(lease, { kind: 'retry', inMs: 0 })
      const second = await take(store, 'job', { payload: 'delivered', fingerprint: 'one' })
      mustEqual([second.payload, second.samePayload], ['delivered', true], 'it is the first payload.')
      mustEqual((await store.get('job'))?.payload, 'delivered', 'it is stored.')
      await mustCompare(store, 'busy')
    },
  },
  {
    name: 'a claim of an expected record has its context and reference',
    run: async (store) => {
      await store.expect('job', { pollInMs: 60_000, ref: 'ref-1', context: { tenant: 7 } })
      const { ref, context, isReclaimed, lease } = await take(store, 'job')
      const found = { ref, context, isReclaimed, fence: lease.fence }
      const wanted = { ref: 'ref-1', context: { tenant: 7 }, isReclaimed: false, fence: 1 }
      mustEqual(found, wanted, 'it has what was expected.')
    },
  },
  {
    name: 'a dead record with a payload is dead to every claim',
    run: async (store) => {
      await bury(store, 'job', true)
      mustEqual((await store.claim('job', claimRequest())).kind, 'dead', 'it is not taken.')
      mustEqual((await store.claim('job', storedRequest())).kind, 'dead', 'it is not taken.')
    },
  },
  {
    name: 'a dead record without a payload is taken by a claim with one',
    run: async (store) => {
      await bury(store, 'job', false)
      mustEqual((await store.claim('job', storedRequest())).kind, 'dead', 'a claim without a payload does not take it.')
      const { payload, isReclaimed } = await take(store, 'job', { payload: 'late' })
      mustEqual([payload, isReclaimed], ['late', false], 'a late delivery counts.')
    },
  },
]

function oneOf(results: ClaimResult[]) {
  const [winner, ...others] = results.filter((result) => result.kind === 'acquired')
  must(winner !== undefined && others.length === 0, 'of many claims at once, one acquires.', results)
  mustEqual(winner.lease.attempt, winner.lease.fence, 'a claim that does not acquire changes nothing.')
  const rest = results.filter((result) => result.kind === 'busy')
  must(rest.length === results.length - 1, 'every claim but the one that acquires finds `busy`.', results)
  return winner
}

function mustBeOff(result: ClaimResult, kind: 'busy' | 'waiting', maxMs: number): void {
  must(result.kind === kind, `the claim finds \`${kind}\`.`, result)
  must(result.msLeft > maxMs / 2 && result.msLeft <= maxMs, '`msLeft` is how long it takes.', result)
}

async function mustCompare(store: InboxStore, kind: ClaimResult['kind']): Promise<void> {
  const fingerprints = ['one', 'another']
  const found = await Promise.all(
    fingerprints.map(async (fingerprint) => {
      const result = await store.claim('job', claimRequest({ fingerprint }))
      return [result.kind, result.samePayload]
    }),
  )
  const wanted = [
    [kind, true],
    [kind, false],
  ]
  mustEqual(found, wanted, '`samePayload` compares the fingerprints.')
}

async function untilDue(store: InboxStore): Promise<void> {
  await until('what is due is told by `due`.', async () => (await store.due(1, 'work'))[0])
}
