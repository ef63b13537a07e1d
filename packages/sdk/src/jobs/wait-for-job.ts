import type { Job } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { type Caller, showCaller } from '../errors/caller-stack.ts'
import { AbortedError, DeadlineExceededError, type EndedWaitFields } from '../errors/transport-errors.ts'
import { notify } from '../notify.ts'
import type { SafeSpan } from '../observe/safe-span.ts'
import { startWaitSpan, type WaitSpan } from '../observe/wait-span.ts'
import { type PriceReading, startPriceReading } from '../runs/price-reading.ts'
import type { RunResult } from '../runs/run-result.ts'
import { outcomeOfJob, toResult } from '../runs/to-result.ts'
import type { WebhookReceiver } from '../runs/webhook-receiver.ts'
import { openScope } from '../scope.ts'
import { cancelJobOperation } from './cancel-job.ts'
import { DEFAULT_DEADLINE_MS, type JobHandle, type WaitOptions } from './job-handle.ts'
import { isConfirmed, type JobReference } from './job-reference.ts'
import type { EarlyEnd, LastSeen, PolledJob, Subscriber } from './polling/polled-jobs.ts'

/** A wait for a job. */
export interface WaitRequest {
  core: Core
  job: JobHandle
  reference: JobReference
  options: WaitOptions
  /** When the wait ends, in milliseconds of the client's clock. Default: after `options.deadlineMs`. */
  endsAt?: number | undefined
  /** Delivers the end, usually before a poll finds it. */
  webhook?: WebhookReceiver | undefined
  /** The reading of the price that has started already. Default: `options.readPrice` starts one. */
  price?: PriceReading | undefined
  /** The span of the run that the wait is part of. */
  span?: SafeSpan | undefined
  /** The line that errors show. Held here instead of in a closure, because ten thousand waits have to be small. */
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

/** Starts a wait. Returns a function that ends it without settling it. @throws ConfigurationError */
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

/** A subscriber for a wait request. Its classes differ in what they do with the states of the job. */
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
    this.span = startWaitSpan(core.tracing, { job: reference, run: span })
  }

  abstract onState(state: Job, isEnd: boolean): void
  abstract onError(error: unknown): void

  onEarlyEnd(end: EarlyEnd, seen: LastSeen): void {
    this.onError(earlyEndError(this, end, seen))
  }
}

/** Settles with the result of the job. */
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

  /** The client that submitted the job knows its state. Other clients poll at once. */
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

/** The error for a wait that its signal or its deadline ended. Cancels the job when the policy says so. */
function earlyEndError(wait: WaitSubscriber, end: EarlyEnd, seen: LastSeen): AbortedError | DeadlineExceededError {
  const { core, handle: job, options } = wait
  const { state, failure } = seen
  const isDeadline = end === 'deadline'
  const policy = isDeadline ? options.onDeadline : options.onAbort
  const what = isDeadline
    ? `did not finish within deadlineMs (${options.deadlineMs ?? DEFAULT_DEADLINE_MS} ms)`
    : 'was still running when the caller aborted the wait'
  const status = state === undefined ? '' : `; its last status is ${state.status}`
  const failed = isDeadline && failure ? '; the last poll failed: see `error.cause`' : ''
  const then =
    policy === 'cancel'
      ? 'Its cancellation was requested: see `error.cancellation`.'
      : 'It goes on: `error.job.result()` waits again.'
  const fields: EndedWaitFields = {
    message: `The job ${job.id} ${what}${status}${failed}. ${then}`,
    cause: isDeadline ? failure : options.signal?.reason,
    attempts: failure?.attempts ?? [],
    submission: state === undefined && !isConfirmed(wait.job) ? 'unknown' : 'accepted',
    jobId: job.id,
    job,
    ...(policy === 'cancel' ? { cancellation: cancelInBackground(core, job.id) } : {}),
  }
  return isDeadline ? new DeadlineExceededError(fields) : new AbortedError(fields)
}

/** Time limit of a cancellation after an early end. */
const CANCEL_TIMEOUT_MS = 5_000

/** Requests a cancellation that the wait, which has ended, does not wait for. Resolves to whether it succeeded. */
async function cancelInBackground({ options, transport }: Core, jobId: string): Promise<boolean> {
  const scope = openScope({ clock: options.clock, deadlineMs: CANCEL_TIMEOUT_MS })
  try {
    const { data } = await transport.call(cancelJobOperation(jobId), { scope, options: {} })
    return data.status === 'cancelled'
  } catch {
    return false
  } finally {
    scope.close()
  }
}
