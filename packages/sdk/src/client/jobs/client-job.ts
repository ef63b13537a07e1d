import type { Job } from '@modelrun/contract'
import { readOptions } from '@modelrun/kit'
import { WAIT_OPTIONS } from '../call-options.ts'
import type { Core } from '../core.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { CallContext, CallOptions } from '../http/operation.ts'
import { request, requestBy } from '../http/request.ts'
import type { JobHandle, JobSource, WaitOptions } from '../job-handle.ts'
import { cancelJob } from './cancel-job.ts'
import { type CancelResult, getJobOperation } from './job-operations.ts'
import { isConfirmed, type JobJson, type JobReference, readJobReference } from './job-reference.ts'
import type { RunResult } from './run-result.ts'
import { type WaitRequest, waitForJob } from './wait-for-job.ts'
import { watchJob } from './watch-job.ts'

/** The handle of a job, for the client that made it. */
export class ClientJob implements JobHandle {
  readonly id: string
  readonly modelId: string | undefined
  readonly requestId: string | undefined
  readonly #core: Core
  readonly #reference: JobReference

  constructor(core: Core, reference: JobReference) {
    this.#core = core
    this.#reference = reference
    this.id = reference.jobId
    this.modelId = reference.modelId
    this.requestId = reference.requestId
  }

  get(options: CallOptions = {}): ApiPromise<Job> {
    return request(this.#core, getJobOperation(this.id, isConfirmed(this.#reference)), { place: 'job.get', options })
  }

  async result(options: WaitOptions = {}): Promise<RunResult> {
    const request = this.waitRequest(readOptions('job.result', options, WAIT_OPTIONS))
    const wait = { operation: 'wait', model: this.modelId, jobId: this.id } as const
    return await this.#core.traceCall(wait, () => waitForJob(request))
  }

  updates(options: WaitOptions = {}): AsyncGenerator<Job, void, undefined> {
    const request = this.waitRequest(readOptions('job.updates', options, WAIT_OPTIONS))
    return watchJob(request)
  }

  cancel(options: CallOptions = {}): ApiPromise<CancelResult> {
    const job = { jobId: this.id, isJobConfirmed: isConfirmed(this.#reference) }
    const send = (call: CallContext) => cancelJob(this.#core, job, call)
    return requestBy(this.#core, { id: this.id }, { place: 'job.cancel', options, send })
  }

  /** A wait for this job. */
  waitRequest(options: WaitOptions): WaitRequest {
    return { core: this.#core, job: this, reference: this.#reference, options }
  }

  toJSON(): JobJson {
    return {
      job_id: this.id,
      ...(this.modelId === undefined ? {} : { model_id: this.modelId }),
      ...(this.requestId === undefined ? {} : { request_id: this.requestId }),
    }
  }
}

/** @throws ConfigurationError when the source is not a job */
export function clientJobOf(core: Core, source: JobSource): ClientJob {
  return source instanceof ClientJob ? source : new ClientJob(core, readJobReference(source))
}
