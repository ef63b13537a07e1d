import type { JobSource } from '../jobs/settle-jobs.ts'
import type { RunOptions } from './run-options.ts'
import type { RunResult } from './run-result.ts'

/** How the run of one input ended, told apart by `status` as with `Promise.allSettled`. */
export type SettledRun<I> = {
  /** Place of the input, from 0. */
  index: number
  input: I
  /** The job of the run; undefined when it never became one. */
  job_id: string | undefined
} & (
  | { status: 'fulfilled'; value: RunResult }
  /** `reason`: what `client.run` would throw; `reason.submission` tells whether the run may be charged. */
  | { status: 'rejected'; reason: unknown }
)

/** One step of one of many runs. */
export interface RunManyProgress {
  /** Place of the input, from 0. */
  index: number
  /** `submitted`: the job exists, and may be charged. */
  step: 'submitted' | 'fulfilled' | 'rejected'
  /** The job of the run; undefined when it never became one. */
  job_id: string | undefined
  /** Inputs begun so far. */
  begun: number
  /** Inputs whose run has ended. */
  settled: number
}

/** Options of `client.runMany`; those of `client.run` count for each single run. */
export interface RunManyOptions extends Omit<RunOptions, 'mode' | 'webhookUrl'> {
  /** Runs under way at once, results that wait to be taken included. Default 8. */
  concurrency?: number | undefined
  /**
   * Called with each step. Write down the `job_id` of each `submitted` to go on with `resume` after a crash. When it throws or
   * rejects, no further run starts, the ones under way are still yielded, and then the loop throws its error.
   */
  onProgress?: ((progress: RunManyProgress) => unknown) | undefined
  /**
   * True: after the first error no further run begins, the ones under way are still yielded, then the error is thrown.
   * False: errors are yielded as `rejected`. Default false.
   */
  stopOnError?: boolean | undefined
  /** Jobs of an earlier attempt by the place of their input: they are waited for, not run again. */
  resume?: ReadonlyMap<number, JobSource> | undefined
}
