import type { Output } from '@modelrun/contract'
import type { Caller } from '../http/api-promise.ts'
import type { JobSource } from '../jobs/job-handle.ts'
import type { RunOptions } from './run-options.ts'
import type { RunResult } from './run-result.ts'

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
export interface RunManyOptions<Input = object> extends Omit<RunOptions, 'mode' | 'webhookUrl'> {
  /**
   * Makes each input a run of a durable batch, `createRuns` of `@modelrun/durable`, which sends it **at most once**: the same
   * call after a crash, or in a second process, sends nothing again and yields the results that exist. The client of the batch
   * sends. Runs that may have been sent are yielded as `rejected` with `DurableRunError`. Goes together with `keyOf`,
   * `concurrency`, `signal` and `onProgress`, which has no step `submitted` then.
   */
  durable?: DurableRuns | undefined
  /**
   * With `durable`: the key of an input, the same in each process; up to 300 characters. Default: SHA-256 of model and input,
   * with a number for an input that comes again. The default stores a hash of each input in memory.
   */
  keyOf?: ((input: Input, index: number) => string) | undefined
  /** Runs under way at once, results that wait to be taken included. Default 8; with `durable` 1,000, as its batch has a limit of its own. */
  concurrency?: number | undefined
  /**
   * Called with each step. Store the `job_id` of each `submitted` to continue with `resume` after a crash. When it throws or
   * rejects, no further run starts, the ones under way are still yielded, and then the loop throws its error.
   */
  onProgress?: ((progress: RunManyProgress) => unknown) | undefined
  /**
   * True: after the first error, no further run starts. The runs under way are still yielded, then the error is thrown.
   * False: errors are yielded as `rejected`. Default false.
   */
  stopOnError?: boolean | undefined
  /** Jobs of an earlier attempt, by the index of their input. They are waited for and not run again. */
  resume?: ReadonlyMap<number, JobSource> | undefined
}

/** A call of `client.runMany`. */
export interface RunManyCall<I> {
  model: string
  inputs: Iterable<I> | AsyncIterable<I>
  options: RunManyOptions<I>
  /** The line that errors show. */
  caller: Caller
}

/** A run of a durable batch. */
export interface DurableRun {
  /** Parameters as they were added, as JSON has them. */
  readonly input: Readonly<Record<string, unknown>>
  /** Id of the model. */
  readonly model: string
  /** `unknown`: it was sent, and nothing says whether the service accepted it. */
  readonly state: 'waiting' | 'running' | 'succeeded' | 'failed' | 'rejected' | 'unknown'
  /** Known once the service has accepted it. */
  readonly jobId?: string | undefined
  /** Of a run that succeeded. */
  readonly output?: Output | undefined
  /** Of a run that failed, was rejected, or is unknown. */
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** An item that becomes a run of a durable batch. */
export interface DurableItem {
  /** Without a key it is handed back as it is. */
  readonly key?: string | undefined
  /** Parameters of the run. */
  readonly input: Readonly<Record<string, unknown>>
}

/** The part of a durable batch that `client.runMany` uses. `createRuns` of `@modelrun/durable` makes one. */
export interface DurableRuns {
  /** Works the batch in this process, adds items under their keys, and gives each back once its run has ended or is unknown. */
  runEach<Item extends DurableItem>(
    model: string,
    items: AsyncIterable<Item>,
    options: { concurrency?: number | undefined; signal?: AbortSignal | undefined },
  ): AsyncGenerator<{ item: Item; run: DurableRun | undefined }, void, undefined>
}
