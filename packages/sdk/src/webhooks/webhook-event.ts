import type { FailedDelivery, SucceededDelivery } from '@modelrun/contract'

/** The job ended `succeeded`: the body of section 6, unknown fields kept. */
export interface SucceededEvent extends Omit<SucceededDelivery, 'credits_used' | 'completed_at'> {
  /** Credits charged. In deliveries alone: missing when the result was found by looking at the job. */
  credits_used?: number | undefined
  /** When the job ended: ISO 8601, UTC. In deliveries alone. */
  completed_at?: string | undefined
}

/** The job ended `failed`: the body of section 6, unknown fields kept. */
export type FailedEvent = FailedDelivery

/** A delivery that names a job and is otherwise not one of section 6: a newer status, or a field is missing. */
export interface UnknownEvent {
  /** Neither of the statuses of section 6: `reported_status` is the one of the body. */
  status: 'unknown'
  /** Identifier of the job. */
  job_id: string
  /** The status that the body has, when it has one that is a text of 1 to 100 characters. */
  reported_status?: string | undefined
  /** The body as it came; of one that is nested deeper than 32 levels, only the texts, numbers and booleans at its top. */
  payload: Record<string, unknown>
}

/** What a webhook delivery says, told apart by `status`. */
export type WebhookEvent = SucceededEvent | FailedEvent | UnknownEvent
