import type { FailedDelivery, SucceededDelivery } from '@modelrun/contract'
import { randomId } from '../../shared/signing/base64.ts'

/** Body of a delivery with a status that section 6 does not list: handlers get it as an `UnknownEvent`. */
export interface UnknownDelivery {
  /** Identifier of the job. */
  job_id: string
  /** A status that section 6 does not list. */
  status: string
  [field: string]: unknown
}

/** Body of a delivery as the service sends it. */
export type DeliveryBody = SucceededDelivery | FailedDelivery | UnknownDelivery

/**
 * Creates the delivery of a job that succeeded (section 6): an image, 4 credits, now.
 *
 * @param fields replaces fields. Default: a new `job_id` each time
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

/**
 * Creates the delivery of a job that failed at the provider (section 6).
 *
 * @param fields replaces fields. Default: a new `job_id` each time
 */
export function failedEvent(fields: Partial<FailedDelivery> = {}): FailedDelivery {
  const error = { code: 'PROVIDER_FAILURE', message: 'The provider could not run the model.' }
  return { job_id: newJobId(), status: 'failed', error, ...fields }
}

/** Creates a delivery with an unknown status. @param fields replaces fields. Default: a new `job_id` each time */
export function unknownEvent(fields: Partial<UnknownDelivery> = {}): UnknownDelivery {
  return { job_id: newJobId(), status: 'expired', ...fields }
}

function newJobId(): string {
  return `job_${randomId()}`
}
