import type { Job } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { outcomeOfJob, type RunResult, toResult } from '../runs/run-result.ts'
import type { WebhookReceiver } from '../runs/webhook-receiver.ts'
import { endOfWait } from './ended-wait.ts'
import type { JobHandle } from './job-handle.ts'
import type { JobReference } from './job-reference.ts'
import type { EarlyEnd, JobWatch, LastSeen, Watcher } from './polling/job-watch.ts'
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

/** Begins a wait, and returns how to leave it without settling it. @throws ConfigurationError */
export function startWait(
  request: WaitRequest,
  resolve: (result: RunResult) => void,
  reject: (error: unknown) => void,
): () => void {
  const { core, job, webhook } = request
  const watcher = new ResultWatcher(request, resolve, reject)
  core.scheduler.join(watcher)
  if (webhook && watcher.watch) {
    watcher.stopListening = webhook.listen(job.id, (event) => core.scheduler.deliver(watcher, event))
    // The delivery may have come before.
    if (!watcher.watch) watcher.stopListening()
  }
  return () => watcher.leave()
}

/** What every watcher has, whatever it does with what it is told. */
export abstract class WaitWatcher implements Watcher {
  readonly core: Core
  readonly handle: JobHandle
  readonly job: JobReference
  readonly options: WaitOptions
  readonly at: number
  readonly hasWebhook: boolean
  order = 0
  slot = -1
  watch: JobWatch | undefined = undefined
  abstract readonly isEager: boolean
  abstract readonly isWatching: boolean

  constructor({ core, job, reference, options, endsAt, webhook }: WaitRequest) {
    this.core = core
    this.handle = job
    this.job = reference
    this.options = options
    this.at = endsAt ?? core.options.clock.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS)
    this.hasWebhook = webhook !== undefined
  }

  abstract onState(state: Job, isEnd: boolean): void
  abstract onError(error: unknown): void

  onEarlyEnd(end: EarlyEnd, seen: LastSeen): void {
    const { core, handle, options } = this
    this.onError(endOfWait({ core, job: handle, options, end, seen }))
  }
}

/** Tells what the job comes to. */
class ResultWatcher extends WaitWatcher {
  readonly resolve: (result: RunResult) => void
  readonly reject: (error: unknown) => void
  stopListening: (() => void) | undefined = undefined

  constructor(request: WaitRequest, resolve: (result: RunResult) => void, reject: (error: unknown) => void) {
    super(request)
    this.resolve = resolve
    this.reject = reject
  }

  /** Whoever submitted the job knows its state; others look at once. */
  get isEager(): boolean {
    return this.job.seenAt === undefined
  }

  get isWatching(): boolean {
    return this.options.onStatus !== undefined
  }

  onState(state: Job, isEnd: boolean): void {
    try {
      this.options.onStatus?.(state, this.handle)
      if (!isEnd) return
      this.leave()
      this.resolve(toResult(this.core, outcomeOfJob(this.job, state)))
    } catch (error) {
      this.onError(error)
    }
  }

  onError(error: unknown): void {
    this.leave()
    this.reject(error)
  }

  leave(): void {
    this.core.scheduler.leave(this)
    this.stopListening?.()
  }
}
