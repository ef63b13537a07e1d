import type { InboxStore, Lease } from '../store/inbox-store.ts'
import {
  atOnce,
  claimRequest,
  type InboxStoreCheck,
  must,
  mustEqual,
  pause,
  storedRequest,
  take,
  until,
} from './store-check.ts'

/** How a lease is kept, lost, and ended with success. */
export const leaseChecks: readonly InboxStoreCheck[] = [
  {
    name: 'extend makes a lease end later',
    run: async (store) => {
      const { lease } = await take(store, 'job', { leaseMs: 50 })
      mustEqual(await store.extend(lease, 60_000), true, 'the holder can extend its lease.')
      await pause(80)
      await mustBeBusy(store)
    },
  },
  {
    name: 'extend counts from now, and may make a lease end earlier',
    run: async (store) => {
      const { lease } = await take(store, 'job', { leaseMs: 60_000 })
      mustEqual(await store.extend(lease, 10), true, 'the holder can extend its lease.')
      await takeOver(store)
    },
  },
  {
    name: 'a lease that ran out, and that nobody else has taken, can still be extended',
    run: async (store) => {
      const { lease } = await take(store, 'job', { leaseMs: 1 })
      await pause(20)
      mustEqual(await store.extend(lease, 60_000), true, 'it is not lost yet.')
      await mustBeBusy(store)
    },
  },
  {
    name: 'a lease that ran out, and that nobody else has taken, can still be completed',
    run: async (store) => {
      const { lease } = await take(store, 'job', { leaseMs: 1 })
      await pause(20)
      mustEqual(await store.complete(lease, { keepMs: 60_000 }), 'ok', 'it is not lost yet.')
    },
  },
  {
    name: 'who has lost a lease changes nothing: extend, complete and release say so',
    run: async (store) => {
      const { lease: lost } = await take(store, 'job', { leaseMs: 1 })
      const lease = await takeOver(store)
      await mustBeLost(store, lost)
      mustEqual(await store.complete(lease, { keepMs: 60_000 }), 'ok', 'the holder still has its lease.')
    },
  },
  {
    name: 'the right fence with another owner is no lease, nor is the right owner with another fence',
    run: async (store) => {
      const { lease } = await take(store, 'job')
      await mustBeLost(store, { ...lease, owner: 'somebody else' })
      await mustBeLost(store, { ...lease, fence: lease.fence + 1 })
      mustEqual(await store.extend(lease, 60_000), true, 'the holder still has its lease.')
    },
  },
  {
    name: 'complete makes a record done, without its payload, for as long as it is kept',
    run: async (store) => {
      await store.expect('job', { pollInMs: 0, ref: 'ref-1', context: 'mine' })
      const { lease } = await take(store, 'job')
      mustEqual(await store.complete(lease, { keepMs: 60_000 }), 'ok', 'the holder can complete.')
      const record = await store.get('job')
      const { state, payload, fence, attempt, context, ref } = record ?? {}
      const wanted = { state: 'done', payload: undefined, fence: 1, attempt: 1, context: 'mine', ref: 'ref-1' }
      mustEqual({ state, payload, fence, attempt, context, ref }, wanted, 'a done record has these facts.')
      const dueInMs = record?.dueInMs ?? 0
      must(dueInMs > 30_000 && dueInMs <= 60_000, '`dueInMs` of a done record is how long it is kept.', dueInMs)
      for (const request of [claimRequest(), storedRequest()]) {
        mustEqual((await store.claim('job', request)).kind, 'done', 'what is done is done.')
      }
    },
  },
  {
    name: 'complete asked again with the same lease is ok again',
    run: async (store) => {
      const { lease } = await take(store, 'job')
      const complete = () => store.complete(lease, { keepMs: 60_000 })
      const results = [await complete(), await complete(), ...(await atOnce(complete, 5))]
      mustEqual(results, Array(7).fill('ok'), 'who did not hear the answer may ask again.')
      mustEqual((await store.get('job'))?.state, 'done', 'it is done once.')
    },
  },
  {
    name: 'of two workers that think they have a record, one completes it',
    run: async (store) => {
      const { lease: lost } = await take(store, 'job', { leaseMs: 1 })
      const lease = await takeOver(store)
      const results = await Promise.all([lost, lease].map((each) => store.complete(each, { keepMs: 60_000 })))
      mustEqual(results, ['lost', 'ok'], 'only the latest lease counts.')
      mustEqual(await store.complete(lost, { keepMs: 60_000 }), 'lost', 'that it is done now does not make it theirs.')
    },
  },
  {
    name: 'a lease that was released is lost',
    run: async (store) => {
      const { lease } = await take(store, 'job')
      mustEqual(await store.release(lease, { kind: 'retry', inMs: 60_000 }), 'ok', 'the holder can release.')
      await mustBeLost(store, lease)
      mustEqual((await store.get('job'))?.state, 'retry', 'the record stays as it was released.')
    },
  },
  {
    name: 'a lease that was completed cannot be extended or released',
    run: async (store) => {
      const { lease } = await take(store, 'job')
      await store.complete(lease, { keepMs: 60_000 })
      mustEqual(await store.extend(lease, 60_000), false, 'there is no lease any more.')
      mustEqual(await store.release(lease, { kind: 'retry', inMs: 0 }), 'lost', 'there is no lease any more.')
      mustEqual((await store.get('job'))?.state, 'done', 'it stays done.')
    },
  },
  {
    name: 'a lease of a record that was forgotten is lost, even when the new record has its fence',
    run: async (store) => {
      const { lease: old } = await take(store, 'job')
      await store.release(old, { kind: 'forget' })
      await mustBeLost(store, old)
      const { lease } = await take(store, 'job')
      mustEqual([old.fence, lease.fence], [1, 1], 'a new record begins with fence 1.')
      await store.complete(lease, { keepMs: 60_000 })
      mustEqual(await store.complete(old, { keepMs: 60_000 }), 'lost', 'the owner counts too, also when it is done.')
    },
  },
]

/** Claims a record whose lease runs out. */
async function takeOver(store: InboxStore): Promise<Lease> {
  return await until('a lease that ran out can be taken over.', async () => {
    const result = await store.claim('job', storedRequest())
    return result.kind === 'acquired' ? result.lease : undefined
  })
}

async function mustBeBusy(store: InboxStore): Promise<void> {
  const result = await store.claim('job', claimRequest())
  must(result.kind === 'busy' && result.msLeft > 30_000, 'an extended lease keeps the record from others.', result)
}

async function mustBeLost(store: InboxStore, lease: Lease): Promise<void> {
  const before = await store.get('job')
  const found = {
    extend: await store.extend(lease, 1),
    complete: await store.complete(lease, { keepMs: 1 }),
    release: await store.release(lease, { kind: 'forget' }, 'mine'),
  }
  mustEqual(found, { extend: false, complete: 'lost', release: 'lost' }, 'who does not have the lease is told so.')
  const facts = (record = before) => [record?.state, record?.fence, record?.payload, record?.lastError]
  mustEqual(facts(await store.get('job')), facts(), 'who does not have the lease changes nothing.')
}
