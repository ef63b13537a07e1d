import type { Job } from '@modelrun/contract'
import type { InboxEngine } from '@modelrun/kit'
import type { Clock } from '../shared/clock.ts'
import type { FailedEvent, SucceededEvent, UnknownEvent, WebhookEvent } from './webhook-event.ts'

/** What a handler gets beside the event. `Context`: the type of the `context` of your runs, which is not checked again. */
export interface DeliveryContext<Context = unknown> {
  /** Number of this run of the handler for this job, from 1. Runs whose process died count. */
  attempt: number
  /**
   * Aborts when the handler should stop: the lock was lost, so that another worker may have the job; the handler took longer
   * than `maxRunMs`; or the time limit of `drain({ timeoutMs })` is over. Pass it on to everything the handler awaits.
   */
  signal: AbortSignal
  /**
   * Increases with each run of the handler for this job. A store that remembers the highest fence can reject a late worker.
   */
  fence: number
  /** The same text for each run of the handler for this event: the `job_id`; for events of unknown status, with the status. */
  idempotencyKey: string
  /** `webhook`: a delivery. `poll`: no delivery came, and a poll of the job found the result. */
  source: 'webhook' | 'poll'
  /** The JSON that the run of this job was given as `context`, or `prepare` or `expect` was. */
  context: Context
}

/** A handler of events. After an error it runs again, except after a `NonRetriableError`. A `RetryAfterError` is not a failure. */
export type EventHandler<Event, Context = unknown> = (event: Event, context: DeliveryContext<Context>) => unknown

/** Keeps a serverless function alive until the promise is settled. */
export type WaitUntil = (work: Promise<unknown>) => void

/** The part of the client that the inbox uses. */
export interface JobReader {
  /** Reads a job (section 4.4), as `client.jobs` does. */
  jobs: { get(id: string, options?: { signal: AbortSignal; maxRetries: number }): PromiseLike<Job> }
  /** The clock of an inbox in memory, unless the inbox has its own. */
  clock?: Clock | undefined
}

/** Options of `createInbox`. */
export interface InboxOptions<Context = unknown> {
  /** Stores deliveries until they are handled: an engine of `@modelrun/durable`. Default: the memory of this process. */
  engine?: InboxEngine | undefined
  /** Name of the queues on the engine: inboxes of different names do not share deliveries. Default `inbox`. */
  name?: string | undefined
  /** Runs for each job that succeeded, after the response to its delivery. */
  onSucceeded?: EventHandler<SucceededEvent, Context> | undefined
  /** Runs for each job that failed. */
  onFailed?: EventHandler<FailedEvent, Context> | undefined
  /** Runs for each {@link UnknownEvent}, for instance of a cancelled job. */
  onUnknown?: EventHandler<UnknownEvent, Context> | undefined
  /**
   * A client such as `ModelRun`, with which jobs are read: handlers get what the service says, also when no delivery came.
   * Without a client the inbox needs a `secret`, and handlers get what was delivered to signed URLs.
   */
  client?: JobReader | undefined
  /**
   * Signs callback URLs. Deliveries to other URLs get 401. At least 32 bytes; or several secrets by id, to replace one: the
   * first signs, all verify.
   */
  secret?: string | Readonly<Record<string, string>> | undefined
  /** URL at which the service reaches this inbox: https, or http on this machine. Needs a `secret`: tokens are for this URL. */
  publicUrl?: string | undefined
  /** Allows http callback URLs on any host, for a network of your own: others can read their tokens. Default `false`. */
  allowHttp?: boolean | undefined
  /** Handlers that run at once in this process. Default 10. */
  concurrency?: number | undefined
  /** A process that died holds its jobs for so long, in milliseconds. Locks are renewed while handlers run. Default 30,000. */
  lockMs?: number | undefined
  /** Longest run of a handler, in milliseconds; then its signal aborts, it has failed, and frees its place. Default 900,000. */
  maxRunMs?: number | undefined
  /** How often a handler may fail for a job before the job becomes a dead letter. Default 8. */
  maxAttempts?: number | undefined
  /** Wait after the first failure of a handler, in milliseconds; it doubles with every other, up to 5 minutes. Default 1,000. */
  backoffMs?: number | undefined
  /** How long a finished job is remembered, to recognize its duplicates, in milliseconds. Default 9 days. */
  keepDoneMs?: number | undefined
  /** How long a dead letter is kept, in milliseconds. Default 30 days. */
  keepDeadMs?: number | undefined
  /** Time after which an expected job without a delivery is first polled, in milliseconds. Default 60,000. */
  expectedAfterMs?: number | undefined
  /** Time after which a job without a result is given up, in milliseconds. Default 24 hours. */
  giveUpAfterMs?: number | undefined
  /** Notified of each failed run of a handler, and of each delivery that could not be stored. Default: `console.error`. */
  onHandlerError?: ((failure: HandlerFailure) => unknown) | undefined
  /** Notified when a job becomes a dead letter: its handler failed for good, or the job was given up. */
  onDead?: ((notice: DeadLetterNotice) => unknown) | undefined
  /** Notified of a prepared run whose job is not known after 15 minutes: it may have been charged. */
  onUnconfirmedRun?: ((notice: UnconfirmedRun) => unknown) | undefined
  /** Notified when a poll found a result: the alarm for webhooks that do not arrive. Default: one `console.warn`. */
  onWebhookMissed?: ((notice: MissedWebhook) => unknown) | undefined
  /** Default: the clock of the `client`, which may be virtual; with an `engine`, that of the system. */
  clock?: Clock | undefined
}

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
interface DeadLetterNotice {
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
interface UnconfirmedRun {
  /** The reference in the callback URL of the run. */
  ref: string
  /** The model of the run, when `prepare` was given it. */
  modelId: string | undefined
  /** The JSON that `prepare` was given for the run. */
  context: unknown
}

/** A result whose delivery did not come. */
interface MissedWebhook {
  /** Identifier of the job. */
  jobId: string
  /** The result, as a poll found it. */
  event: WebhookEvent
  /** The JSON that `prepare` or `expect` was given for the job. */
  context: unknown
}

/** What is known of a run before it is sent. Options of `prepare`. */
export interface PrepareOptions {
  /** The model of the run, for notices. */
  modelId?: string | undefined
  /** JSON that the handler gets as `context.context`. */
  context?: unknown
}

/** A callback URL for one run. */
export interface PreparedRun {
  /** For `webhook_url`. */
  url: string
  /** Names the run until its job is known. */
  ref: string
}

/** What is known of a run that the service has accepted. Options of `expect`. */
export interface ExpectOptions extends PrepareOptions {
  /** The reference that `prepare` gave. */
  ref?: string | undefined
  /** Milliseconds until the job is polled, if no delivery came. Default: `expectedAfterMs` of the inbox. */
  pollInMs?: number | undefined
  /** What the response to the run said of the job: when that is its end, it is handled at once. */
  firstState?: Job | undefined
}

/** Options of `sweep`. */
export interface SweepOptions {
  /** Longest time that a sweep takes, in milliseconds. Handlers that run then are waited for. Default 20,000. */
  forMs?: number | undefined
  /** Ends the sweep at once, with an AbortedError. Handlers that run then are not interrupted. */
  signal?: AbortSignal | undefined
}

/** What a sweep did. */
export interface SweepReport {
  /** Tasks that were worked: results, polls, checks of deliveries. */
  worked: number
}

/** Options of `drain`. */
export interface DrainOptions {
  /** Milliseconds until the signals of running handlers abort. Default: no limit. */
  timeoutMs?: number | undefined
}

/** One page of a list. */
export interface PageOptions {
  /** Default 50. */
  limit?: number | undefined
  /** The `cursor` of the last dead letter of the page before. */
  after?: string | undefined
}
