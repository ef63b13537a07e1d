import type { Job } from '@modelrun/contract'
import type { Clock } from '../clock.ts'
import type { FailedEvent, SucceededEvent, UnknownEvent, WebhookEvent } from './webhook-event.ts'

/** What a handler knows beyond the event. */
export interface DeliveryContext {
  /** 1 for the first run of the handler for this job. */
  attempt: number
}

/** A handler that failed, or a delivery that the service did not confirm, for logs. */
export interface HandlerFailure {
  event: WebhookEvent
  /** 1 for the first run of the handler, or for the first look at the job. */
  attempt: number
  error: unknown
  /** Milliseconds until it is tried again; undefined when it is not. */
  retryInMs?: number | undefined
}

/** The part of the client that the inbox uses. */
export interface JobReader {
  jobs: { get(id: string): PromiseLike<Job> }
}

/** Options of `createInbox`. */
export interface InboxOptions {
  /** Runs once for each job that succeeded, after the delivery was answered. */
  onSucceeded?: ((event: SucceededEvent, context: DeliveryContext) => unknown) | undefined
  /** Runs once for each job that failed. */
  onFailed?: ((event: FailedEvent, context: DeliveryContext) => unknown) | undefined
  /** Runs once for each job of which only {@link UnknownEvent} is known. */
  onUnknown?: ((event: UnknownEvent, context: DeliveryContext) => unknown) | undefined
  /**
   * Deliveries are unsigned. With a client, each one is only a hint: the job is read from the service, and the handlers
   * see what the service says; only `credits_used` and `completed_at` are the delivery's, because the service shows
   * them nowhere else. Without a client, the body is believed: good for development alone.
   */
  client?: JobReader | undefined
  /** Told of each handler that threw, and of each delivery that was not confirmed. Default: `console.error`. */
  onHandlerError?: ((failure: HandlerFailure) => unknown) | undefined
  /** Where time comes from. Default: the system. */
  clock?: Clock | undefined
  /** Where the jitter of re-runs comes from. Default `Math.random`. */
  random?: (() => number) | undefined
}
