import type { Job, Output } from 'modelrun'
import type { TaskFailure } from '../engine/engine.ts'

/**
 * - `waiting`: not sent yet
 * - `running`: the service has accepted it, or is being asked to
 * - `succeeded`, `failed`: its job ended; `cancelled` counts as failed
 * - `rejected`: the service refused it, or the budget did; nothing was charged
 * - `unknown`: it was sent, and nobody knows whether the service accepted it
 */
export type RunState = 'waiting' | 'running' | 'succeeded' | 'failed' | 'rejected' | 'unknown'

/** A run of a batch. */
export interface Run {
  /** What it was added with: unique within its batch. */
  readonly key: string
  /** Id of the model. */
  readonly model: string
  /** Parameters of the model. */
  readonly input: Readonly<Record<string, unknown>>
  /** How far it is. */
  readonly state: RunState
  /** Known once the service has accepted it. */
  readonly jobId?: string | undefined
  /** Of a run that succeeded. */
  readonly output?: Output | undefined
  /** Of a run that failed, was rejected, or is unknown. */
  readonly error?: TaskFailure | undefined
}

/** A run that has come to its end. */
export interface FinishedRun extends Run {
  /** How it ended. */
  readonly state: 'succeeded' | 'failed' | 'rejected'
  /** For `after` of the next `results()`: what came before is left out. */
  readonly cursor: string
}

/** How far a batch is. */
export interface RunsProgress {
  /** Runs that were added. */
  readonly total: number
  /** Runs that were not sent yet. */
  readonly waiting: number
  /** Runs that the service has accepted, or is being asked to. */
  readonly running: number
  /** Runs that ended: succeeded, failed or rejected. */
  readonly done: number
  /** Runs that need a decision: see `resolve` and `resubmit`. */
  readonly unknown: number
  /** Price of everything that was sent, in credits: at most so much was charged. */
  readonly credits: number
  /** Milliseconds until the last run ends, at the speed since this process began to work; `undefined` before it is known. */
  readonly msLeft: number | undefined
}

/** What a task of the submit queue carries. */
export interface SubmitData {
  readonly model: string
  readonly input: Readonly<Record<string, unknown>>
}

/** What a task of the follow queue carries. */
export interface PollData {
  readonly model: string
  readonly jobId: string
  /** Milliseconds since 1970. */
  readonly submittedAt: number
  /** Whether the submit may be dead: a user decided that it is this job, or its process was late. */
  readonly mayBeUnknown?: boolean | undefined
}

/** How a run ended, as it is kept. */
export type Outcome =
  | { readonly state: 'succeeded'; readonly jobId: string; readonly output: Output }
  | { readonly state: 'failed'; readonly jobId: string; readonly error: TaskFailure }
  | { readonly state: 'rejected'; readonly error: TaskFailure }

/** Returns how a run ended, from the job of a poll or a delivery; `undefined` while the job has not ended. */
export function outcomeOf(jobId: string, { status, output, error }: Job): Outcome | undefined {
  if (status === 'succeeded' && output !== undefined) return { state: 'succeeded', jobId, output }
  if (status === 'failed') {
    const { code = 'UNKNOWN', message = 'The service gave no reason.' } = error ?? {}
    return { state: 'failed', jobId, error: { code, message } }
  }
  if (status !== 'cancelled') return undefined
  return { state: 'failed', jobId, error: { code: 'CANCELLED', message: 'The job was cancelled.' } }
}
