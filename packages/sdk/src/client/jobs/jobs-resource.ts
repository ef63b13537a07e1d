import type { Job } from '@modelrun/contract'
import {
  ConfigurationError,
  copyJson,
  defined,
  hasMethods,
  memberOf,
  readArguments,
  readOptions,
  showValue,
  stringIn,
  tryParseJson,
} from '@modelrun/kit'
import { createAsyncQueue } from '../../shared/async-queue.ts'
import { withinScope } from '../../shared/clock.ts'
import { CALL_OPTIONS, checkArguments, WAIT_OPTIONS } from '../call-options.ts'
import type { Core } from '../core.ts'
import { ApiPromise } from '../http/api-promise.ts'
import type { ApiResult, CallContext, CallOptions } from '../http/operation.ts'
import type { JobHandle, JobJson, JobSource, WaitOptions } from '../job-handle.ts'
import { cancelJob } from './cancel-job.ts'
import { type CancelResult, getJobOperation, isConfirmed, type JobReference } from './job-operations.ts'
import type { RunResult } from './run-result.ts'
import { startWait, type WaitRequest, waitForJob, watchJob } from './wait-for-job.ts'

/** The jobs of the service (sections 4.4 and 4.5). Each method is that of {@link JobHandle} for a job known by its id. */
export class JobsResource {
  readonly #core: Core

  /** @internal */
  constructor(core: Core) {
    this.#core = core
  }

  /** A handle of a job that another call or process started. Sends nothing. @throws ConfigurationError */
  attach(idOrJson: string | JobJson): JobHandle {
    return new ClientJob(this.#core, readJobReference(idOrJson))
  }

  /** Reads a job's state once. @throws NotFoundError when the job does not exist */
  get(id: string, options: CallOptions = {}): ApiPromise<Job> {
    return this.#job(id).get(options)
  }

  /** Cancels a job. @throws ConflictError or another ApiError when the service rejects it */
  cancel(id: string, options: CallOptions = {}): ApiPromise<CancelResult> {
    return this.#job(id).cancel(options)
  }

  /**
   * Waits for many jobs and yields how each one ended, in the order in which they end. Leaving the loop stops the polls;
   * the jobs continue. An error ends the wait for its own job alone.
   *
   * @example
   * for await (const job of client.jobs.settle(ids)) {
   *   if (job.status === 'fulfilled') save(job.job_id, job.value.output)
   *   else report(job.job_id, job.reason)
   * }
   *
   * @param jobs Ids, JSON or handles of jobs
   * @throws ConfigurationError at once, when it is called, for a wrong argument: for instance when one of them is not a job
   */
  settle(jobs: Iterable<JobSource>, options: WaitOptions = {}): AsyncGenerator<SettledJob, void, undefined> {
    const place = 'client.jobs.settle'
    checkArguments(place, { jobs })
    const handles = Array.from(jobs, (source) => clientJobOf(this.#core, source))
    const checked = readOptions(place, options, WAIT_OPTIONS)
    return settleJobs(handles, checked)
  }

  /** Unlike `attach`, this never throws: a wrong id makes the promise of the call reject. */
  #job(id: string): ClientJob {
    return new ClientJob(this.#core, { jobId: id })
  }
}

/** How one of several jobs ended. `status` is that of `Promise.allSettled`. */
export type SettledJob =
  | { status: 'fulfilled'; job_id: string; value: RunResult }
  /** `reason`: what `result()` of its handle would throw. */
  | { status: 'rejected'; job_id: string; reason: unknown }

/** Waits for many jobs and yields how each one ended, in the order in which they end. */
async function* settleJobs(
  handles: readonly ClientJob[],
  options: WaitOptions,
): AsyncGenerator<SettledJob, void, undefined> {
  const settled = createAsyncQueue<SettledJob>()
  const waits = handles.map((handle) => {
    const { id: job_id } = handle
    return startWait(
      handle.waitRequest(options),
      (value) => settled.push({ status: 'fulfilled', job_id, value }),
      (reason) => settled.push({ status: 'rejected', job_id, reason: reason }),
    )
  })
  try {
    for (const _ of waits) yield await settled.next()
  } finally {
    for (const leave of waits) leave()
  }
}

/** The handle of a job, for the client that made it. */
export class ClientJob implements JobHandle {
  readonly id: string
  readonly modelId: string | undefined
  readonly requestId: string | undefined
  readonly firstState: Job | undefined
  readonly #core: Core
  readonly #reference: JobReference

  constructor(core: Core, reference: JobReference) {
    this.#core = core
    this.#reference = reference
    this.id = reference.jobId
    this.modelId = reference.modelId
    this.requestId = reference.requestId
    this.firstState = reference.state
  }

  get(options: CallOptions = {}): ApiPromise<Job> {
    const operation = getJobOperation(this.id, isConfirmed(this.#reference))
    return this.#call('job.get', options, (call) => this.#core.transport.call(operation, call))
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
    const isJobConfirmed = isConfirmed(this.#reference)
    return this.#call('job.cancel', options, (call) => cancelJob(this.#core, this.id, { ...call, isJobConfirmed }))
  }

  /** A wait for this job. */
  waitRequest(options: WaitOptions): WaitRequest {
    return { core: this.#core, job: this, reference: this.#reference, options }
  }

  /** One call, whose only time limit is that of each attempt. */
  #call<T>(place: string, given: CallOptions, send: (call: CallContext) => Promise<ApiResult<T>>): ApiPromise<T> {
    const work = async () => {
      checkArguments(place, { id: this.id })
      const options = readOptions(place, given, CALL_OPTIONS)
      const { clock } = this.#core.options
      return await withinScope({ clock, signal: options.signal }, (scope) => send({ scope, options }))
    }
    return new ApiPromise(work())
  }

  toJSON(): JobJson {
    return defined({ job_id: this.id, model_id: this.modelId, request_id: this.requestId })
  }
}

/** @throws ConfigurationError when the source is not a job */
export function clientJobOf(core: Core, source: JobSource): ClientJob {
  return source instanceof ClientJob ? source : new ClientJob(core, readJobReference(source))
}

/** Reads a job's id, its JSON, the text of its JSON, or its handle. @throws ConfigurationError */
export function readJobReference(source: string | JobJson | { toJSON(): JobJson }): JobReference {
  return readArguments('jobs.attach', () => {
    const value = jsonOf(source)
    if (typeof value === 'string' && value !== '') return value === source ? { jobId: value } : readJobReference(value)
    const names = ['job_id', 'model_id', 'request_id'] as const
    const [jobId, modelId, requestId] = names.map((name) => stringIn(value, name))
    const isWhole = names.every((name) => typeof (memberOf(value, name) ?? '') === 'string')
    if (jobId && isWhole) return { jobId, modelId, requestId }
    throw new ConfigurationError({
      message: `A job must be an id or the JSON of a job handle, \`{ "job_id": "…" }\`, not ${showValue(source)}.`,
    })
  })
}

function jsonOf(source: unknown): unknown {
  // A handle of another copy of this package has another class.
  if (typeof source !== 'string') return hasMethods(source, 'toJSON') ? copyJson(source) : source
  // A file ends with a line break, and a JSON column has the JSON of the text.
  const text = source.trim()
  return /^["{]/.test(text) ? tryParseJson(text) : text
}
