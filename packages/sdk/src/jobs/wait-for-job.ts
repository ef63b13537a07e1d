import type { Job } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { type Caller, showCaller } from '../errors/caller-stack.ts'
import { notify } from '../notify.ts'
import type { SafeSpan } from '../observe/safe-span.ts'
import { startWaitSpan, type WaitSpan } from '../observe/wait-span.ts'
import { type PriceReading, startPriceReading } from '../runs/price-reading.ts'
import { outcomeOfJob, type RunResult, toResult } from '../runs/run-result.ts'
import type { WebhookReceiver } from '../runs/webhook-receiver.ts'
import { endOfWait } from './ended-wait.ts'
import type { JobHandle } from './job-handle.ts'
import { isConfirmed, type JobReference } from './job-reference.ts'
import type { EarlyEnd, LastSeen, PolledJob, Subscriber } from './polling/job-watch.ts'
import { DEFAULT_DEADLINE_MS, type WaitOptions } from './wait-options.ts'

/** The job that is waited for, and how. */
export interface WaitRequest {
  core: Core
  job: JobHandle
  reference: JobReference
  options: WaitOptions
  /** When the wait ends, in milliseconds of the client's clock; by default, when its own `deadlineMs` is over. */
  endsAt?: number | undefined
  /** Brings the end, when it is faster than the polls, which are only a safety net then. */
  webhook?: WebhookReceiver | undefined
  /** The price that is read already. By default, `options.readPrice` starts that. */
  price?: PriceReading | undefined
  /** The span of the run that the wait is part of. */
  span?: SafeSpan | undefined
  /** Errors show the line that called. Kept here and not around the promise: ten thousand waits have to be small. */
  caller?: Caller | undefined
}

/**
 * Waits for a job's end. What `prepare` throws is what the wait rejects with.
 *
 * @throws JobFailedError, JobCancelledError, AbortedError, DeadlineExceededError, ApiError (401, 403, 404),
 *   InvalidResponseError, ConfigurationError
 */
export function waitForJob(prepare: () => WaitRequest): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    startWait(prepare(), resolve, reject)
  })
}

/** Begins a wait, and returns how to leave it without settling it. @throws ConfigurationError */
export function startWait(
  request: WaitRequest,
  resolve: (result: RunResult) => void,
  reject: (error: unknown) => void,
): () => void {
  const { core, job, reference, options, webhook } = request
  let price = request.price
  const succeed = (result: RunResult) => (price ? void price.addTo(result).then(resolve) : resolve(result))
  const subscriber = new ResultSubscriber(request, succeed, (error) => {
    price?.stop()
    reject(error)
  })
  if (options.readPrice) price ??= startPriceReading(core, reference.modelId, options)
  core.scheduler.join(subscriber)
  if (webhook && subscriber.polled) {
    subscriber.stopListening = webhook.listen(job.id, (event) => core.scheduler.deliver(subscriber, event))
    // The delivery may have come before.
    if (!subscriber.polled) subscriber.stopListening()
  }
  return () => {
    price?.stop()
    subscriber.span?.abandon()
    subscriber.leave()
  }
}

/** What every watcher has, whatever it does with what it is told. */
export abstract class WaitSubscriber implements Subscriber {
  readonly core: Core
  readonly handle: JobHandle
  readonly job: JobReference
  readonly options: WaitOptions
  readonly at: number
  readonly hasWebhook: boolean
  readonly span: WaitSpan | undefined
  order = 0
  slot = -1
  polled: PolledJob | undefined = undefined
  abstract readonly isEager: boolean
  abstract readonly wantsStates: boolean

  constructor({ core, job, reference, options, endsAt, webhook, span }: WaitRequest) {
    this.core = core
    this.handle = job
    this.job = reference
    this.options = options
    this.at = endsAt ?? core.options.clock.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS)
    this.hasWebhook = webhook !== undefined
    this.span = startWaitSpan(core, { job: reference, run: span })
  }

  abstract onState(state: Job, isEnd: boolean): void
  abstract onError(error: unknown): void

  onEarlyEnd(end: EarlyEnd, seen: LastSeen): void {
    const { core, handle, job, options } = this
    this.onError(endOfWait({ core, job: handle, options, end, seen, isConfirmed: isConfirmed(job) }))
  }
}

/** Tells what the job comes to. */
class ResultSubscriber extends WaitSubscriber {
  readonly caller: Caller | undefined
  readonly resolve: (result: RunResult) => void
  readonly reject: (error: unknown) => void
  stopListening: (() => void) | undefined = undefined

  constructor(request: WaitRequest, resolve: (result: RunResult) => void, reject: (error: unknown) => void) {
    super(request)
    this.caller = request.caller
    this.resolve = resolve
    this.reject = reject
  }

  /** Whoever submitted the job knows its state; others look at once. */
  get isEager(): boolean {
    return this.job.seenAt === undefined
  }

  get wantsStates(): boolean {
    return this.options.onStatus !== undefined
  }

  onState(state: Job, isEnd: boolean): void {
    const { onStatus } = this.options
    if (onStatus) notify(this.core.options.log, 'onStatus', () => onStatus(state, this.handle))
    if (!isEnd) return
    try {
      this.leave()
      const result = toResult(this.core, outcomeOfJob(this.job, state))
      this.span?.end()
      this.resolve(result)
    } catch (error) {
      this.onError(error)
    }
  }

  onError(error: unknown): void {
    this.leave()
    this.span?.fail(error)
    this.reject(this.caller ? showCaller(error, this.caller) : error)
  }

  leave(): void {
    this.core.scheduler.leave(this)
    this.stopListening?.()
  }
}
