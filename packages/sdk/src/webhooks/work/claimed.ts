import { randomId } from '../../signing/random-id.ts'
import type { InboxCore } from '../inbox-core.ts'
import { jobIdOfKey } from '../record-key.ts'
import type { ClaimResult, Lease } from '../store/inbox-store.ts'
import { readStoredContext, type StoredContext, type StoredDelivery } from '../stored-delivery.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** A record that this process may work on. */
export interface Claimed {
  lease: Lease
  /** What the store keeps of the delivery; nothing is known of its shape. */
  payload: unknown
  /** Undefined: nobody expected the job. */
  context: StoredContext | undefined
  /** When the claim was sent, on the local clock. */
  sentAt: number
  /** The event, when an earlier run in this process has confirmed it. */
  confirmed?: WebhookEvent | undefined
}

/** What a claim found, and the record when the caller got it. */
export type Claim = { claimed: Claimed } | { claimed: undefined; result: Exclude<ClaimResult, { kind: 'acquired' }> }

/** A claim for a delivery, or for what is stored. */
export interface ClaimOptions {
  fingerprint: string
  delivery: StoredDelivery
}

/** Asks the store for a record. Rejects when the store fails. */
export async function claimRecord(
  core: InboxCore,
  key: string,
  options?: ClaimOptions,
): Promise<Claim & { isSame: boolean }> {
  const {
    store,
    hooks,
    backgroundClock,
    options: { leaseMs },
  } = core
  const sentAt = backgroundClock.now()
  const { fingerprint = '', delivery } = options ?? {}
  const result = await store.claim(key, { owner: randomId(), leaseMs, fingerprint, payload: delivery })
  const isSame = result.samePayload
  if (result.kind !== 'acquired') return { claimed: undefined, result, isSame }
  const jobId = jobIdOfKey(key)
  hooks.metric('claimed', jobId)
  if (result.isReclaimed) hooks.metric('reclaimed', jobId)
  const { lease, payload, context } = result
  return { claimed: { lease, payload, context: readStoredContext(context), sentAt }, isSame }
}
