import type { Job, RunCompleted } from '@modelrun/contract'
import { copyJson, defined, numberIn, stringIn } from '@modelrun/kit'
import type { Core } from '../core.ts'
import { JobCancelledError, JobFailedError, noOutputError } from '../errors/job-errors.ts'
import { DEFAULT_DEADLINE_MS, type JobHandle, type WaitOptions } from '../job-handle.ts'
import { notify } from '../observe/logger.ts'
import { earlyEndError } from './early-end.ts'
import { type JobReference, NO_REASON } from './job-operations.ts'
import type { EarlyEnd, HeldBack, LastSeen, PolledJob, Subscriber } from './polling/polled-jobs.ts'
import type { RunResult } from './run-result.ts'

/** A wait for a job. */
export interface WaitRequest {
  core: Core
  job: JobHandle
  reference: JobReference
  options: WaitOptions
  /** When the wait ends, in milliseconds of the client's clock. Default: after `options.deadlineMs`. */
  endsAt?: number | undefined
  /** Starts to listen to a webhook, which delivers the end, usually before a poll finds it. Returns a function that stops it. */
  listen?: ((jobId: string, deliver: (end: Job) => void) => () => void) | undefined
}

/**
 * Waits for a job's end.
 *
 * @throws JobFailedError, JobCancelledError, AbortedError, DeadlineExceededError, ApiError (401, 403, 404),
 *   InvalidResponseError, ConfigurationError
 */
export function waitForJob(request: WaitRequest): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    startWait(request, resolve, reject)
  })
}

/** Starts a wait. Returns a function that ends it without settling it. @throws ConfigurationError */
export function startWait(
  request: WaitRequest,
  resolve: (result: RunResult) => void,
  reject: (error: unknown) => void,
): () => void {
  const { core, listen } = request
  const subscriber = new ResultSubscriber(request, resolve, reject)
  core.scheduler.join(subscriber)
  if (listen && subscriber.polled) subscriber.listenBy(listen)
  return () => subscriber.leave()
}

/** A subscriber for a wait request. Its classes differ in what they do with the states of the job. */
export abstract class WaitSubscriber implements Subscriber {
  readonly core: Core
  readonly handle: JobHandle
  readonly job: JobReference
  readonly options: WaitOptions
  at: number
  readonly hasWebhook: boolean
  readonly within: Subscriber['within']
  order = 0
  slot = -1
  polled: PolledJob | undefined = undefined
  stopListening: (() => void) | undefined = undefined
  readonly isEager: boolean
  readonly wantsStates: boolean

  constructor(
    { core, job, reference, options, endsAt, listen }: WaitRequest,
    { isEager, wantsStates }: Pick<Subscriber, 'isEager' | 'wantsStates'>,
  ) {
    this.isEager = isEager
    this.wantsStates = wantsStates
    this.core = core
    this.handle = job
    this.job = reference
    this.options = options
    this.at = endsAt ?? core.options.clock.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS)
    this.hasWebhook = listen !== undefined
    this.within = core.captureContext()
  }

  abstract onState(state: Job, isEnd: boolean, seen: LastSeen): void
  abstract onError(error: unknown): void

  onEarlyEnd(end: EarlyEnd, seen: LastSeen, held?: HeldBack): void {
    // A cancellation that it requests is of this wait, too.
    this.onError(this.within(() => earlyEndError(this, end, { ...seen, held })))
  }
}

/** Settles with the result of the job. */
class ResultSubscriber extends WaitSubscriber {
  readonly resolve: (result: RunResult) => void
  readonly reject: (error: unknown) => void
  stopReceiver: (() => void) | undefined = undefined

  constructor(request: WaitRequest, resolve: (result: RunResult) => void, reject: (error: unknown) => void) {
    const { reference, options } = request
    // The client that submitted the job knows its state. Other clients poll at once.
    super(request, { isEager: reference.seenAt === undefined, wantsStates: options.onStatus !== undefined })
    this.resolve = resolve
    this.reject = reject
  }

  onState(state: Job, isEnd: boolean, seen: LastSeen): void {
    const { onStatus } = this.options
    if (onStatus)
      this.within(() => notify(this.core.options.log, 'onStatus', () => onStatus(copyJson(state), this.handle)))
    if (!isEnd) return
    try {
      this.leave()
      this.resolve(outcomeOfJob(this.job, copyJson(state), seen))
    } catch (error) {
      this.onError(error)
    }
  }

  onError(error: unknown): void {
    this.leave()
    this.reject(error)
  }

  listenBy(listen: NonNullable<WaitRequest['listen']>): void {
    const stop = listen(this.handle.id, (end) => this.core.scheduler.deliver(this, end))
    // The delivery may have come before.
    if (this.polled) this.stopReceiver = stop
    else stop()
  }

  leave(): void {
    const { stopReceiver } = this
    this.core.scheduler.leave(this)
    this.stopReceiver = undefined
    stopReceiver?.()
  }
}

/** The outcome of a run that finished within the hold. */
export function outcomeOfCompleted({ creditsPerRun }: JobReference, run: RunCompleted): RunResult {
  return { ...run, status: 'succeeded', ...defined({ credits_per_run: creditsPerRun }) }
}

/** The outcome of a job that ended. @throws JobFailedError, JobCancelledError, InvalidResponseError */
function outcomeOfJob(reference: JobReference, job: Job, { attempts, requestId: lastRequestId }: LastSeen): RunResult {
  const { jobId, requestId, creditsPerRun } = reference
  const sent = {
    jobId,
    attempts,
    requestId: lastRequestId,
    status: attempts.at(-1)?.status,
    submission: 'accepted',
  } as const
  const modelId = reference.modelId ?? stringIn(job, 'model_id')
  if (job.status === 'failed') {
    const { code, message } = job.error ?? NO_REASON
    throw new JobFailedError({ ...sent, message: `The job ${jobId} failed: [${code}] ${message}`, job })
  }
  if (job.status === 'cancelled') {
    const message = `The job ${jobId} was cancelled. It is not charged.`
    throw new JobCancelledError({ ...sent, message, job })
  }
  if (job.output === undefined) throw noOutputError(jobId, sent)
  return defined({
    job_id: jobId,
    request_id: requestId,
    model_id: modelId,
    status: 'succeeded',
    output: job.output,
    // The specification leaves further fields of a job open (section 2.4). They are read when they are present.
    credits_used: numberIn(job, 'credits_used'),
    credits_per_run: creditsPerRun,
    duration_ms: numberIn(job, 'duration_ms'),
  })
}
