import type { FailedDelivery, SucceededDelivery } from '@modelrun/contract'

/** The job ended `succeeded`: the body of section 6, unknown fields kept. */
export type SucceededEvent = SucceededDelivery

/** The job ended `failed`: the body of section 6, unknown fields kept. */
export type FailedEvent = FailedDelivery

/** A delivery that names a job and is otherwise not one of section 6: a newer status, or a field is missing. */
export interface UnknownEvent {
  status: 'unknown'
  job_id: string
  /** The status that the body has, when it has one. */
  reported_status?: string | undefined
  /** The body as it came. */
  payload: Record<string, unknown>
}

/** What a webhook delivery says, told apart by `status`. */
export type WebhookEvent = SucceededEvent | FailedEvent | UnknownEvent
