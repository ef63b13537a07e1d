import type { FailedDelivery, SucceededDelivery } from '@modelrun/contract'
import { randomId } from '../../signing/random-id.ts'

/** Body of a delivery that is none of section 6: handlers get it as an `UnknownEvent`. */
export interface UnknownDelivery {
  /** Identifier of the job. */
  job_id: string
  /** A status that section 6 does not show. */
  status: string
  [field: string]: unknown
}

/** Body of a delivery as the service posts it. */
export type DeliveryBody = SucceededDelivery | FailedDelivery | UnknownDelivery

/**
 * The delivery of a job that succeeded (section 6): an image, 4 credits, now. A new `job_id` each time, unless given.
 *
 * @example
 * await onSucceeded(succeededEvent({ credits_used: 12 }), context)
 */
export function succeededEvent(fields: Partial<SucceededDelivery> = {}): SucceededDelivery {
  const { job_id = newJobId() } = fields
  const url = `https://files.example.com/${encodeURIComponent(job_id)}/0.png`
  return {
    job_id,
    status: 'succeeded',
    output: { type: 'image', items: [{ type: 'image', url }] },
    credits_used: 4,
    completed_at: new Date().toISOString(),
    ...fields,
  }
}

/** The delivery of a job that failed (section 6): at the provider. A new `job_id` each time, unless given. */
export function failedEvent(fields: Partial<FailedDelivery> = {}): FailedDelivery {
  const error = { code: 'PROVIDER_FAILURE', message: 'The provider could not run the model.' }
  return { job_id: newJobId(), status: 'failed', error, ...fields }
}

/** A delivery of a status that the specification does not name. A new `job_id` each time, unless given. */
export function unknownEvent(fields: Partial<UnknownDelivery> = {}): UnknownDelivery {
  return { job_id: newJobId(), status: 'expired', ...fields }
}

function newJobId(): string {
  return `job_${randomId()}`
}
