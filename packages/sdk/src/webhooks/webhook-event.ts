import type { FailedDelivery, SucceededDelivery } from '@modelrun/contract'

/** The job ended `succeeded`: the body of section 6, unknown fields kept. */
export interface SucceededEvent extends Omit<SucceededDelivery, 'credits_used' | 'completed_at'> {
  /** Credits charged. Only deliveries have this field: it is missing when a poll found the result. */
  credits_used?: number | undefined
  /** When the job ended: ISO 8601, UTC. Only deliveries have this field. */
  completed_at?: string | undefined
}

/** The job ended `failed`: the body of section 6, unknown fields kept. */
export type FailedEvent = FailedDelivery

/** A delivery of a job that is not one of section 6: it has an unknown status, or a success has no output. */
export interface UnknownEvent {
  /** Marks this kind of event. `reported_status` is the status of the body. */
  status: 'unknown'
  /** Identifier of the job. */
  job_id: string
  /** The status of the body, if it is a string of 1 to 100 characters. */
  reported_status?: string | undefined
  /** The body as it was delivered, without what is nested deeper than 32 levels. */
  payload: Record<string, unknown>
}

/** The event of a webhook delivery. `status` distinguishes the three kinds. */
export type WebhookEvent = SucceededEvent | FailedEvent | UnknownEvent
