import type { Job } from '@modelrun/contract'
import type { CallOptions } from '../http/operation.ts'
import type { JobHandle } from './job-handle.ts'

/** What happens to the job when its wait ends early: it goes on, or it is cancelled. */
export type UnfinishedJobPolicy = 'detach' | 'cancel'

/** Options of every method that waits for a job. */
export interface WaitOptions extends CallOptions {
  /** One budget for the whole wait, in milliseconds. Default 600 000 (10 minutes); `Infinity` for none. */
  deadlineMs?: number | undefined
  /**
   * Called with each new state of the job and with the job's handle: from the response to the run on (`queued`), to the
   * end. A callback that throws or rejects is logged, and the wait goes on.
   */
  onStatus?: ((state: Job, job: JobHandle) => unknown) | undefined
  /**
   * Reads the model's price beside the run, for `credits_per_run` of the result: one GET of the model in five minutes. The
   * run does not wait for it, and a price that cannot be read within five seconds is left out. Default false.
   */
  readPrice?: boolean | undefined
  /** What becomes of the job when `signal` aborts. Default `detach`. */
  onAbort?: UnfinishedJobPolicy | undefined
  /** What becomes of the job when the deadline passes. Default `detach`. */
  onDeadline?: UnfinishedJobPolicy | undefined
}

/** Default of {@link WaitOptions.deadlineMs}. */
export const DEFAULT_DEADLINE_MS = 600_000
