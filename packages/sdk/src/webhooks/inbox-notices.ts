import type { WebhookEvent } from './webhook-event.ts'

/** A handler that failed, or a delivery that the service did not confirm, for logs. */
export interface HandlerFailure {
  /** The result that the handler was called with. */
  event: WebhookEvent
  /** 1 for the first run of the handler, or for the first look at the job. */
  attempt: number
  /** What the handler threw, or why the delivery was not confirmed. */
  error: unknown
  /** Milliseconds until it is tried again; undefined when it is not. */
  retryInMs?: number | undefined
}

/** A job whose handler failed for good. `deadLetters` of the inbox lists it and runs it again. */
export interface DeadLetterNotice {
  /** Identifier of the job. */
  jobId: string
  /** The result that could not be handled. */
  event: WebhookEvent
  /** How often the handler was called for it. */
  attempt: number
  /** What the handler threw last. */
  error: unknown
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
}

/** An expected job that was given up. */
export interface LostJob {
  /** Identifier of the job. */
  jobId: string
  /** `not_found`: the service said three times that there is no such job. `gave_up`: it has not ended in time. */
  reason: 'not_found' | 'gave_up'
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
}

/** A run that was prepared, and whose job is not known. */
export interface OrphanIntent {
  /** The reference in the callback URL of the run. */
  ref: string
  /** The model of the run, when `prepare` was given it. */
  modelId: string | undefined
  /** The JSON that `prepare` was given for the run. */
  context: unknown
}

/** A result whose delivery did not come. */
export interface MissedWebhook {
  /** Identifier of the job. */
  jobId: string
  /** The result, as a poll found it. */
  event: WebhookEvent
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
}

/** Two deliveries of one job that differ. */
export interface PayloadConflict {
  /** Identifier of the job. */
  jobId: string
  /** What the later one says. */
  event: WebhookEvent
}

/**
 * What a metric counts. `claimed`: deliveries and retries that this process took. `busy`, `done`: duplicates of a job
 * that is worked on, that is done. `mismatch`: duplicates that differ. `reclaimed`: work of a process that died or
 * stalled. `lost_lease`: own work that another process may have. `reconciled`: results found without a delivery. `dead`:
 * dead letters and lost jobs. `completed`: jobs done. `ack_ms`: milliseconds until a delivery was answered.
 */
export type InboxMetricName =
  | 'claimed'
  | 'busy'
  | 'done'
  | 'mismatch'
  | 'reclaimed'
  | 'lost_lease'
  | 'reconciled'
  | 'dead'
  | 'completed'
  | 'ack_ms'

/** One count, or one measured time. */
export interface InboxMetric {
  /** What was counted or measured. */
  name: InboxMetricName
  /** 1 for each thing counted; milliseconds for `ack_ms`. */
  value: number
  /** Identifier of the job, when it concerns one. */
  jobId?: string | undefined
}
