import type { Job } from '@modelrun/contract'
import type { ApiPromise } from './http/api-promise.ts'
import type { CallOptions } from './http/operation.ts'
import type { CancelResult } from './jobs/job-operations.ts'
import type { RunResult } from './jobs/run-result.ts'

/** A job of the service: read its state, wait for its result, cancel it, or pass it to another process as JSON. */
export interface JobHandle {
  /** The service's `job_id`. */
  readonly id: string
  /** The model that was run; undefined when only the id was known. */
  readonly modelId: string | undefined
  /** Identifier of the request at the underlying provider; undefined when only the id was known. */
  readonly requestId: string | undefined
  /**
   * What the response to the run said of the job: mostly `queued`, of a fast model its end. Undefined when only the id was known.
   */
  readonly firstState: Job | undefined

  /** Reads the job's state once (section 4.4). @throws NotFoundError when the job does not exist */
  get(options?: CallOptions): ApiPromise<Job>

  /**
   * Waits for the job's end.
   *
   * @throws JobFailedError, JobCancelledError when the job ended so
   * @throws DeadlineExceededError, AbortedError when the wait ended first; the job continues unless a policy says `cancel`
   */
  result(options?: WaitOptions): Promise<RunResult>

  /**
   * Yields each new state of the job: the current one at once and the final one last. Leaving the loop stops the polls.
   *
   * @throws ConfigurationError at once, when it is called, for a wrong option
   */
  updates(options?: WaitOptions): AsyncGenerator<Job, void, undefined>

  /**
   * Cancels the job (section 4.5). A cancelled job is not charged.
   *
   * @throws ConflictError or another ApiError when the service rejects it, e.g. because the job has finished
   */
  cancel(options?: CallOptions): ApiPromise<CancelResult>

  /** The job as plain JSON. `client.jobs.attach` makes a handle of it, in another process too. */
  toJSON(): JobJson
}

/** A job as plain JSON, for another process. `JobHandle.toJSON()` makes it, and `jobs.attach` reads it. */
export interface JobJson {
  /** Identifier of the job. */
  job_id: string
  /** The model that was run, when it is known. */
  model_id?: string | undefined
  /** Identifier of the request at the underlying provider, when it is known. */
  request_id?: string | undefined
}

/** A job by its id, its JSON or its handle. */
export type JobSource = string | JobJson | JobHandle

/** Options of every method that waits for a job. */
export interface WaitOptions extends CallOptions {
  /**
   * Time limit of the whole wait, in milliseconds. Default 600 000 (10 minutes); `Infinity` for none. Raise it with
   * `polling.maxRequestsPerSecond` for a client with thousands of waits.
   */
  deadlineMs?: number | undefined
  /**
   * Called with each new state of the job and with the job's handle, from the response to the run (`queued`) to the end. A
   * callback that throws or rejects is logged, and the wait continues.
   */
  onStatus?: ((state: Job, job: JobHandle) => unknown) | undefined
  /** What happens to the job when `signal` aborts. Default `detach`. */
  onAbort?: 'detach' | 'cancel' | undefined
  /** What happens to the job when the deadline passes. Default `detach`. */
  onDeadline?: 'detach' | 'cancel' | undefined
}

export const DEFAULT_DEADLINE_MS = 600_000
