import type { ClaimRequest, ClaimResult, InboxStore, Lease } from '../store/inbox-store.ts'
import { createMemoryStore } from '../store/memory-store.ts'
import { pause } from './store-check.ts'

/** Stores that break their contract in one way each, to see that the checks notice. */
export type DishonestStores = Record<string, (honest: InboxStore) => Partial<InboxStore>>

export function makeDishonest(lie: DishonestStores[string]): InboxStore {
  const honest = createMemoryStore()
  return { ...honest, ...lie(honest) }
}

type Acquired = Extract<ClaimResult, { kind: 'acquired' }>

/** Changes what claims give that acquire. */
export function afterClaim(honest: InboxStore, change: (result: Acquired, request: ClaimRequest) => ClaimResult) {
  return async (key: string, request: ClaimRequest): Promise<ClaimResult> => {
    const result = await honest.claim(key, request)
    return result.kind === 'acquired' ? change(result, request) : result
  }
}

function fakeClaim(key: string, { owner, payload }: ClaimRequest): Acquired {
  const lease = { key, owner, fence: 1, attempt: 1 }
  return { kind: 'acquired', lease, payload, samePayload: true, context: undefined, ref: undefined, isReclaimed: false }
}

/** A store that changes records by key, whoever asks: it remembers the lease that counts. */
function byKey(honest: InboxStore) {
  const latest = new Map<string, Lease>()
  const claim = afterClaim(honest, (result) => {
    latest.set(result.lease.key, result.lease)
    return result
  })
  const own = (lease: Lease): Lease => latest.get(lease.key) ?? lease
  return { claim, own }
}

/** They are early by so little that only a machine with nothing else to do can see it. */
export const earlyLies: DishonestStores = {
  'a lease keeps the record from others until it ends, then it is taken with the payload of the first': (honest) => ({
    claim: (key, request) => honest.claim(key, { ...request, leaseMs: request.leaseMs - 50 }),
  }),
  'a lease is due when it has ended, and not before': (honest) => ({
    claim: (key, request) => honest.claim(key, { ...request, leaseMs: request.leaseMs - 50 }),
  }),
  'a retry can be claimed when its time has come, and not before': (honest) => ({
    release: (lease, next) => honest.release(lease, next.kind === 'retry' ? { ...next, inMs: next.inMs - 50 } : next),
  }),
  'a reference is free again when its time is over, and not before': (honest) => ({
    bind: (ref, key, keepMs) => honest.bind(ref, key, keepMs - 50),
  }),
}

/** Lies of claims and leases. */
export const claimLies: DishonestStores = {
  'no exclusion': (honest) => ({
    claim: async (key, request) => {
      const result = await honest.claim(key, request)
      return result.kind === 'busy' ? fakeClaim(key, request) : result
    },
  }),
  'a look and a change in two steps': (honest) => ({
    claim: async (key, request) => {
      if ((await honest.get(key)) !== undefined) return await honest.claim(key, request)
      await pause(1)
      const result = await honest.claim(key, request)
      return result.kind === 'busy' ? fakeClaim(key, request) : result
    },
  }),
  'one record for all keys': (honest) => ({ claim: (_, request) => honest.claim('same', request) }),
  'no fence': (honest) => ({
    claim: afterClaim(honest, (result) => ({ ...result, lease: { ...result.lease, fence: 1 } })),
    complete: async () => 'ok',
    release: async () => 'ok',
  }),
  'attempts are not counted': (honest) => ({
    claim: afterClaim(honest, (result) => ({ ...result, lease: { ...result.lease, attempt: 1 } })),
  }),
  'a refused claim counts': (honest) => {
    let refused = 0
    return {
      claim: async (key, request) => {
        const result = await honest.claim(key, request)
        if (result.kind !== 'acquired') refused += 1
        else if (refused > 0) return { ...result, lease: { ...result.lease, fence: result.lease.fence + refused } }
        return result
      },
    }
  },
  'the payload of the latest claim': (honest) => ({
    claim: afterClaim(honest, (result, { payload }) => ({ ...result, payload: payload ?? result.payload })),
  }),
  'the payload of a later claim is not stored': (honest) => ({
    claim: async (key, { payload, ...request }) =>
      await honest.claim(key, (await honest.get(key))?.state === 'retry' ? request : { payload, ...request }),
  }),
  'every claim has the same payload': (honest) => ({
    claim: async (key, request) => ({ ...(await honest.claim(key, request)), samePayload: true }),
  }),
  'every claim has another payload': (honest) => ({
    claim: async (key, request) => ({ ...(await honest.claim(key, request)), samePayload: false }),
  }),
  'what is done has every payload': (honest) => ({
    claim: async (key, request) => {
      const result = await honest.claim(key, request)
      return result.kind === 'done' ? { ...result, samePayload: true } : result
    },
  }),
  'leases that last too long': (honest) => ({
    claim: (key, request) => honest.claim(key, { ...request, leaseMs: request.leaseMs * 1_000 }),
  }),
  'leases that last too short': (honest) => ({
    claim: (key, request) => honest.claim(key, { ...request, leaseMs: request.leaseMs / 1_000 }),
  }),
  'every claim reclaims': (honest) => ({ claim: afterClaim(honest, (result) => ({ ...result, isReclaimed: true })) }),
  'no claim reclaims': (honest) => ({ claim: afterClaim(honest, (result) => ({ ...result, isReclaimed: false })) }),
  'msLeft is a constant': (honest) => ({
    claim: async (key, request) => {
      const result = await honest.claim(key, request)
      return 'msLeft' in result ? { ...result, msLeft: 0 } : result
    },
  }),
  'what is waiting is busy': (honest) => ({
    claim: async (key, request) => {
      const result = await honest.claim(key, request)
      return result.kind === 'waiting' ? { ...result, kind: 'busy' } : result
    },
  }),
  'a claim without a payload makes a record': (honest) => ({
    claim: async (key, request) => {
      if ((await honest.get(key)) === undefined) await honest.expect(key, { pollInMs: 0 })
      return await honest.claim(key, request)
    },
  }),
  'what is dead can be claimed': (honest) => ({
    claim: async (key, request) => {
      await honest.replay(key)
      return await honest.claim(key, request)
    },
  }),
  'what is dead stays dead': (honest) => ({
    claim: async (key, request) =>
      (await honest.get(key))?.state === 'dead'
        ? { kind: 'dead', samePayload: true }
        : await honest.claim(key, request),
  }),
  'an expected record is not free': (honest) => ({
    claim: async (key, request) =>
      (await honest.get(key))?.state === 'expected'
        ? { kind: 'waiting', msLeft: 1, samePayload: true }
        : await honest.claim(key, request),
  }),
  'claims lose context and reference': (honest) => ({
    claim: afterClaim(honest, (result) => ({ ...result, context: undefined, ref: undefined })),
  }),
  'changes by key alone': (honest) => {
    const { claim, own } = byKey(honest)
    return {
      claim,
      extend: (lease, ms) => honest.extend(own(lease), ms),
      complete: (lease, options) => honest.complete(own(lease), options),
      release: (lease, ...step) => honest.release(own(lease), ...step),
    }
  },
  'changes by key and fence': (honest) => {
    const { claim, own } = byKey(honest)
    const sameFence = (lease: Lease) => (own(lease).fence === lease.fence ? own(lease) : lease)
    return { claim, complete: (lease, options) => honest.complete(sameFence(lease), options) }
  },
  'extend does nothing': () => ({ extend: async () => true }),
  'extend never makes a lease shorter': (honest) => ({
    extend: async (lease, ms) => {
      const left = (await honest.get(lease.key))?.dueInMs ?? 0
      return await honest.extend(lease, Math.max(left, ms))
    },
  }),
  'a lease that ran out is lost at once': (honest) => {
    const isOver = async ({ key }: Lease) => ((await honest.get(key))?.dueInMs ?? 0) < 0
    return {
      extend: async (lease, ms) => !(await isOver(lease)) && (await honest.extend(lease, ms)),
      complete: async (lease, options) => ((await isOver(lease)) ? 'lost' : await honest.complete(lease, options)),
    }
  },
  'complete is ok once': (honest) => ({
    complete: async (lease, options) =>
      (await honest.get(lease.key))?.state === 'done' ? 'lost' : await honest.complete(lease, options),
  }),
  'complete is always ok': (honest) => ({
    complete: async (lease, options) => {
      await honest.complete(lease, options)
      return 'ok'
    },
  }),
  'complete removes the record': (honest) => ({ complete: (lease) => honest.release(lease, { kind: 'forget' }) }),
  'a released lease is still one': (honest) => ({
    extend: async (lease, ms) => {
      const state = (await honest.get(lease.key))?.state
      return state === 'retry' || state === 'done' || (await honest.extend(lease, ms))
    },
  }),
}
