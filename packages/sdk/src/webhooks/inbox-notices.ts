import { ModelRunError, named } from '@modelrun/kit'
import type { WebhookEvent } from './webhook-event.ts'

/** A handler that failed, or a delivery that could not be stored. */
export interface HandlerFailure {
  /** The result that the handler was called with. */
  event: WebhookEvent
  /** Number of this run of the handler, from 1. */
  attempt: number
  /** What the handler threw, or why the delivery could not be stored. */
  error: unknown
  /** Whether it is not tried again. */
  isLast: boolean
}

/** A job that could not be handled. `inbox.deadLetters` lists such jobs and replays them. */
export interface DeadLetterNotice {
  /** Identifier of the job. */
  jobId: string
  /** The result that could not be handled; undefined for a job that was given up without one. */
  event: WebhookEvent | undefined
  /** How often the task of the job ran. */
  attempt: number
  /**
   * What the handler threw last, or an error with a `code`. `process_died`: each process that ran the handler died. `not_found`:
   * the service said three times that it does not have the job. `gave_up`: the job has not ended in time. `unconfirmed`: the
   * service does not confirm the delivery.
   */
  error: unknown
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
}

/** A run that was prepared, and whose job is not known. */
export interface UnconfirmedRun {
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

/** An expected job was given up: the service does not know it, or it has not ended within `giveUpAfterMs`. */
export class JobLostError extends /* @__PURE__ */ named(ModelRunError, 'JobLostError', 'job_lost') {}
