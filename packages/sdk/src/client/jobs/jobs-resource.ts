import type { Job } from '@modelrun/contract'
import { readOptions } from '@modelrun/kit'
import { createAsyncQueue } from '../../shared/async-queue.ts'
import { checkArguments, WAIT_OPTIONS } from '../call-options.ts'
import type { Core } from '../core.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { CallOptions } from '../http/operation.ts'
import type { JobHandle, JobSource, WaitOptions } from '../job-handle.ts'
import { ClientJob, clientJobOf } from './client-job.ts'
import type { CancelResult } from './job-operations.ts'
import { type JobJson, readJobReference } from './job-reference.ts'
import type { RunResult } from './run-result.ts'
import { startWait } from './wait-for-job.ts'

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
