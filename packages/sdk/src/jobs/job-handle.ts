import type { Job } from '@modelrun/contract'
import { WAIT_OPTIONS } from '../arguments/call-options.ts'
import { readOptions } from '../arguments/read-options.ts'
import type { Core } from '../core.ts'
import { captureCaller, throwAtCaller } from '../errors/caller-stack.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { CallOptions } from '../http/operation.ts'
import { type RequestContext, request } from '../http/request.ts'
import type { RunResult } from '../runs/run-result.ts'
import { type CancelResult, cancelJobOperation } from './cancel-job.ts'
import { getJobOperation } from './get-job.ts'
import { isConfirmed, type JobJson, type JobReference } from './job-reference.ts'
import { type WaitRequest, waitForJob } from './wait-for-job.ts'
import type { WaitOptions } from './wait-options.ts'
import { watchJob } from './watch-job.ts'

/** A job of the service, as one object: look at it, wait for it, cancel it, hand it to another process. */
export class JobHandle {
  /** The service's `job_id`. */
  readonly id: string
  /** The model that was run; undefined when only the id was known. */
  readonly modelId: string | undefined
  /** Identifier of the request at the underlying provider; undefined when only the id was known. */
  readonly requestId: string | undefined
  readonly #core: Core
  readonly #reference: JobReference

  /** @internal */
  constructor(core: Core, reference: JobReference) {
    this.#core = core
    this.#reference = reference
    this.id = reference.jobId
    this.modelId = reference.modelId
    this.requestId = reference.requestId
  }

  /** Looks at the job once (section 4.4). @throws NotFoundError when there is no such job */
  get(options: CallOptions = {}): ApiPromise<Job> {
    return this.read({ place: 'job.get', options, calledFunction: JobHandle.prototype.get })
  }

  /**
   * Waits for the job's end.
   *
   * @throws JobFailedError, JobCancelledError when the job ended so
   * @throws DeadlineExceededError, AbortedError when the wait ended first; the job goes on unless a policy says `cancel`
   */
  result(options: WaitOptions = {}): Promise<RunResult> {
    return waitForJob(() => ({
      ...this.waitRequest(readOptions('job.result', options, WAIT_OPTIONS)),
      caller: captureCaller(JobHandle.prototype.result),
    }))
  }

  /**
   * Yields each new state of the job, the first one at once and the final one last. Leaving the loop stops the polls.
   *
   * @throws ConfigurationError at once, when it is called, for a wrong option
   */
  updates(options: WaitOptions = {}): AsyncGenerator<Job, void, undefined> {
    const request = this.waitRequest(readOptions('job.updates', options, WAIT_OPTIONS))
    return throwAtCaller(JobHandle.prototype.updates, () => watchJob(request))
  }

  /**
   * Cancels the job (section 4.5). A cancelled job is not charged.
   *
   * @throws ConflictError or another ApiError when the service refuses, e.g. because the job has finished
   */
  cancel(options: CallOptions = {}): ApiPromise<CancelResult> {
    return this.stop({ place: 'job.cancel', options, calledFunction: JobHandle.prototype.cancel })
  }

  /** @internal */
  read(context: RequestContext): ApiPromise<Job> {
    return request(this.#core, getJobOperation(this.id, isConfirmed(this.#reference)), context)
  }

  /** @internal */
  stop(context: RequestContext): ApiPromise<CancelResult> {
    return request(this.#core, cancelJobOperation(this.id, isConfirmed(this.#reference)), context)
  }

  /** @internal */
  waitRequest(options: WaitOptions): WaitRequest {
    return { core: this.#core, job: this, reference: this.#reference, options }
  }

  /** The job as plain JSON; `client.jobs.attach` brings it back, in another process too. */
  toJSON(): JobJson {
    return {
      job_id: this.id,
      ...(this.modelId === undefined ? {} : { model_id: this.modelId }),
      ...(this.requestId === undefined ? {} : { request_id: this.requestId }),
    }
  }
}
