import type { JobStatus } from '@modelrun/contract'
import type { RunResult } from '../client/jobs/run-result.ts'

/** How far a run is. The service gives no percentages. */
export interface RunProgress {
  /** `sending`: there is no job yet. `resuming`: the page was loaded again, and the job is about to be polled. */
  status: 'sending' | 'resuming' | JobStatus
  /** The job, once there is one: an id of the proxy, for this user alone. */
  jobId: string | undefined
  /** When the run was started: milliseconds since the Unix epoch. */
  startedAt: number
  /** True from `cancel()` until the job has ended or the service has rejected the cancellation. */
  isCancelling: boolean
}

interface StateMembers {
  /** How far the run is, while it is under way. */
  progress: undefined
  /** The result of a run that has succeeded. */
  result: undefined
  /** Why there is no result. */
  error: undefined
}

/** The state of a run in a page, distinguished by `status`. */
export type RunState =
  | (StateMembers & { status: 'idle' })
  | (Omit<StateMembers, 'progress'> & { status: 'running'; progress: RunProgress })
  | (Omit<StateMembers, 'result'> & { status: 'succeeded'; result: RunResult })
  /** The run was rejected, or its job failed. */
  | (Omit<StateMembers, 'error'> & { status: 'failed'; error: Error })
  | (StateMembers & { status: 'cancelled' })
  /** The run may be charged, and its result is not known: a response was lost, or its job cannot be polled now. */
  | (Omit<StateMembers, 'error'> & { status: 'unknown'; error: Error })

const NOTHING: StateMembers = { progress: undefined, result: undefined, error: undefined }

export const IDLE: RunState = { ...NOTHING, status: 'idle' }

export const running = (progress: RunProgress): RunState => ({ ...NOTHING, status: 'running', progress })
export const succeeded = (result: RunResult): RunState => ({ ...NOTHING, status: 'succeeded', result })
export const cancelled = (): RunState => ({ ...NOTHING, status: 'cancelled' })
export const ended = (status: 'failed' | 'unknown', error: Error): RunState => ({ ...NOTHING, status, error })
