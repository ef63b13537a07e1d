import { fingerprintOf } from '../fingerprint.ts'
import type { InboxCore } from '../inbox-core.ts'
import { eventKey, jobKey } from '../record-key.ts'
import { TOKEN_MEMORY_MS } from '../resolve-inbox-options.ts'
import type { StoredDelivery } from '../stored-delivery.ts'
import { claimRecord } from '../work/claimed.ts'
import { rerunLater, startWork, type WaitUntil } from '../work/start-work.ts'
import type { AnswerKind } from './answer.ts'

/** What the store said to a delivery. */
export type Acceptance = Extract<AnswerKind, 'accepted' | 'busy' | 'waiting' | 'done' | 'dead' | 'unauthorized'>

/** A delivery that is to be stored. */
export interface Accepting {
  delivery: StoredDelivery
  waitUntil: WaitUntil | undefined
  /** True when it was tried before, and nobody knows what came of that. */
  isRepeated?: boolean
}

/** Stores a delivery, and begins the work on it when it is the first of its job. Rejects when the store fails. */
export async function acceptDelivery(core: InboxCore, accepting: Accepting): Promise<Acceptance> {
  const { delivery, waitUntil, isRepeated } = accepting
  const { event, ref } = delivery
  if (ref !== undefined && !(await isBound(core, ref, event.job_id))) return 'unauthorized'
  const key = eventKey(event)
  const claim = await claimRecord(core, key, { fingerprint: fingerprintOf(event), delivery })
  if (!claim.isSame) {
    core.hooks.metric('mismatch', event.job_id)
    core.hooks.tell('onConflict', { jobId: event.job_id, event })
  }
  if (claim.claimed !== undefined) {
    void startWork(core, claim.claimed, waitUntil)
    return 'accepted'
  }
  const { result } = claim
  core.hooks.metric(result.kind === 'busy' || result.kind === 'waiting' ? 'busy' : 'done', event.job_id)
  // It may be our own claim whose answer was lost: then nobody works on it.
  if (isRepeated && result.kind === 'busy') rerunLater(core, { key }, result.msLeft)
  return result.kind
}

/** The first job that is delivered to an address, or expected there, has it: a token that leaked is of no more use. */
async function isBound({ store }: InboxCore, ref: string, jobId: string): Promise<boolean> {
  const key = jobKey(jobId)
  return (await store.bind(ref, key, TOKEN_MEMORY_MS)) === key
}
