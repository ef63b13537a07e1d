import type { JobSource } from '../job-handle.ts'
import type { RunResult } from '../jobs/run-result.ts'
import type { RunOptions } from './run-options.ts'

/** How the run of one input ended. `status` is that of `Promise.allSettled`. */
export type SettledRun<I> = {
  /** Index of the input, from 0. */
  index: number
  input: I
  /** The job of the run; undefined when it never became one. */
  job_id: string | undefined
} & (
  | { status: 'fulfilled'; value: RunResult }
  /** `reason`: what `client.run` would throw; `reason.submission` says whether the run may be charged. */
  | { status: 'rejected'; reason: unknown }
)

/** One step of one of many runs. */
export interface RunManyProgress {
  /** Index of the input, from 0. */
  index: number
  /** `submitted`: the job exists, and may be charged. */
  step: 'submitted' | 'fulfilled' | 'rejected'
  /** The job of the run; undefined when it never became one. */
  job_id: string | undefined
  /** Inputs started so far. */
  started: number
  /** Inputs whose run has ended. */
  settled: number
}

/** Options of `client.runMany`; those of `client.run` count for each single run. */
export interface RunManyOptions extends Omit<RunOptions, 'mode' | 'webhookUrl'> {
  /** Runs under way at once, results that wait to be taken included. Default 8. */
  concurrency?: number | undefined
  /**
   * Called with each step. Store the `job_id` of each `submitted` to continue with `resume` after a crash. When it throws or
   * rejects, no further run starts, the ones under way are still yielded, and then the loop throws its error.
   */
  onProgress?: ((progress: RunManyProgress) => unknown) | undefined
  /**
   * Jobs of an earlier attempt, by the index of their input, as a number or, from JSON, as its text. They are waited for and not run
   * again. The inputs must be the same, in the same order.
   */
  resume?: Pick<ReadonlyMap<number | string, JobSource>, 'get'> | undefined
}

export interface RunManyCall<I> {
  model: string
  inputs: Iterable<I> | AsyncIterable<I>
  options: RunManyOptions
}
