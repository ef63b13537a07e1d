import type { Job } from '@modelrun/contract'
import type { Clock } from '../clock.ts'
import type {
  DeadLetterNotice,
  HandlerFailure,
  InboxMetric,
  LostJob,
  MissedWebhook,
  OrphanIntent,
  PayloadConflict,
} from './inbox-notices.ts'
import type { InboxStore } from './store/inbox-store.ts'
import type { FailedEvent, SucceededEvent, UnknownEvent } from './webhook-event.ts'

/** What a handler knows beyond the event. */
export interface DeliveryContext {
  /** 1 for the first run of the handler for this job. A run that a crash ended counts. */
  attempt: number
  /**
   * Aborts when the work should stop: another worker may have it (the lease was lost), it took longer than `maxRunMs`, or
   * `drain({ timeoutMs })` ran out. Pass it on to what the handler awaits.
   */
  signal: AbortSignal
  /** Rises with each worker that takes the job. A system that remembers the highest one it saw can refuse a late worker. */
  fence: number
  /** The same for each run of the handler for this job: the `job_id`. */
  idempotencyKey: string
  /** `poll`: no delivery came, and the result was found by looking at the job. */
  source: 'webhook' | 'poll'
  /** The JSON that `callbackUrl`, `prepare` or `expect` was given for this job. */
  context: unknown
  /**
   * Marks the job as done, before the handler returns. With a transactional store and `tx`, that is part of the
   * caller's own transaction: its effects and the mark are committed together, or neither is.
   *
   * @throws LeaseLostError when another worker has the job: let it go through, so that the transaction is rolled back
   */
  complete(options?: { tx?: unknown }): Promise<void>
}

/** A handler of events. Returning (or resolving) means done; throwing means that it is run again. */
export type EventHandler<Event> = (event: Event, context: DeliveryContext) => unknown

/** The part of the client that the inbox uses. */
export interface JobReader {
  /** Reads a job (section 4.4), as `client.jobs` does. */
  jobs: { get(id: string): PromiseLike<Job> }
}

/**
 * Who is believed. `verify`: the service alone; each delivery is a hint to read the job there. `token`: whoever knows
 * the signed address. `payload`: everybody, good for development alone.
 */
export type Trust = 'verify' | 'token' | 'payload'

/** Options of `createInbox`. */
export interface InboxOptions {
  /** Where deliveries are kept until they are handled. Default: the memory of this process. */
  store?: InboxStore | undefined
  /** Runs for each job that succeeded, after the delivery was answered. */
  onSucceeded?: EventHandler<SucceededEvent> | undefined
  /** Runs for each job that failed. */
  onFailed?: EventHandler<FailedEvent> | undefined
  /** Runs for each job of which only {@link UnknownEvent} is known, for instance a cancelled one. */
  onUnknown?: EventHandler<UnknownEvent> | undefined
  /** Reads jobs: to verify deliveries, and to find the results whose delivery did not come. A `ModelRun` fits. */
  client?: JobReader | undefined
  /**
   * Signs callback addresses, and makes deliveries to any other address answer 401. At least 32 bytes; or several by
   * id, to change them: the first signs, all verify.
   */
  secret?: string | Readonly<Record<string, string>> | undefined
  /**
   * Address at which the service reaches this inbox: https, or http on this machine. Tokens are good for it alone, so it
   * needs a `secret`. `createInbox` throws a ConfigurationError for one that cannot be used.
   */
  publicUrl?: string | undefined
  /**
   * Lets callback URLs be http at any host. Everything on the way can then read the token in the URL: only for a network
   * of your own, such as Docker Compose. Section 6, rule 5 recommends https. Default `false`.
   */
  allowHttp?: boolean | undefined
  /** Default: `verify` with a client, else `token` with a secret, else `payload`, which warns. */
  trust?: Trust | undefined
  /** Hosts from which a result may link its files; `*.example.com` for those below one. Default: any. */
  allowedOutputHosts?: readonly string[] | undefined
  /** For how long a worker has a job before others may take it, in milliseconds. It is extended while it works. Default 60 000. */
  leaseMs?: number | undefined
  /** Longest run of a handler, in milliseconds; then its signal aborts, and the lease is extended no more. Default 900 000. */
  maxRunMs?: number | undefined
  /** How often a handler is run for a job before it becomes a dead letter. Default 8. */
  maxAttempts?: number | undefined
  /** For how long a finished job is remembered, to tell its duplicates, in milliseconds. Default 7 days. */
  keepDoneMs?: number | undefined
  /** For how long a dead letter is kept, in milliseconds. Default 30 days. */
  keepDeadMs?: number | undefined
  /** Time between two looks for work that is due, after `start()`, in milliseconds; ±20 %. Default 15 000. */
  sweepIntervalMs?: number | undefined
  /** Time after which an expected job that was not heard of is first looked at, in milliseconds. Default 60 000. */
  expectedAfterMs?: number | undefined
  /** Time after which an expected job is given up, in milliseconds. Default 24 hours. */
  giveUpAfterMs?: number | undefined
  /**
   * Keeps a serverless function alive until the work after an answer is done. Failed work is then not run again by a
   * timer: call `sweep()` and `reconcile()` from a scheduled function.
   */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined
  /** Told of each failed run of a handler, and of each delivery that could not be confirmed or stored. Default: `console.error`. */
  onHandlerError?: ((failure: HandlerFailure) => unknown) | undefined
  /** Told when a job becomes a dead letter. */
  onDead?: ((notice: DeadLetterNotice) => unknown) | undefined
  /** Told once when an expected job is given up. */
  onLost?: ((notice: LostJob) => unknown) | undefined
  /** Told once of a run that was prepared and of which nothing was heard in 15 minutes: it may have been charged. */
  onOrphanIntent?: ((notice: OrphanIntent) => unknown) | undefined
  /** Told when a result was found by looking at the job: the alarm for webhooks that do not arrive. */
  onWebhookMissed?: ((notice: MissedWebhook) => unknown) | undefined
  /** Told when a delivery says something else than the one before it for the same job. The first one stands. */
  onConflict?: ((notice: PayloadConflict) => unknown) | undefined
  /** Told of each count and time that a dashboard may want. */
  onMetric?: ((metric: InboxMetric) => unknown) | undefined
  /** Where time comes from. Default: the system. */
  clock?: Clock | undefined
  /** Where the jitter of delays comes from: a number from 0 up to 1. Default `Math.random`. */
  random?: (() => number) | undefined
}
