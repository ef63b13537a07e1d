import type { InboxStore } from 'modelrun/webhooks'

/** What is wrong with a record, by its job. */
export type Fault = 'short_leases' | 'any_completion' | 'set_nx'

const FAULTS: readonly Fault[] = ['short_leases', 'any_completion', 'set_nx']

const DAY_MS = 24 * 60 * 60 * 1_000

/** Each third of the jobs has a fault of its own, so that none hides another. */
export function faultOf(key: string): Fault | undefined {
  const [, number] = /^job_(\d+)$/.exec(key) ?? []
  return FAULTS[Number(number) % FAULTS.length]
}

/**
 * A store that is wrong, as adapters are in the field:
 *
 * - `short_leases`: others get the record before the lease has ended.
 * - `any_completion`: it does not look at how many rows its guarded statement changed.
 * - `set_nx`: `SET key NX EX 86400`, and `DEL` on an error: nobody knows what the claim was for.
 */
export function makeFaulty(honest: InboxStore): InboxStore {
  const has = (key: string, fault: Fault) => faultOf(key) === fault
  return {
    ...honest,
    claim: async (key, request) => {
      if (has(key, 'short_leases')) return await honest.claim(key, { ...request, leaseMs: request.leaseMs / 10 })
      if (has(key, 'set_nx')) return await honest.claim(key, { ...request, leaseMs: DAY_MS })
      return await honest.claim(key, request)
    },
    extend: async (lease, leaseMs) => {
      if (has(lease.key, 'set_nx')) return true
      return await honest.extend(lease, has(lease.key, 'short_leases') ? leaseMs / 10 : leaseMs)
    },
    complete: async (lease, options) => {
      const result = await honest.complete(lease, options)
      return has(lease.key, 'any_completion') ? 'ok' : result
    },
    release: async (lease, next, error) =>
      await honest.release(lease, has(lease.key, 'set_nx') ? { kind: 'forget' } : next, error),
  }
}
