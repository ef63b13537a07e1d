import type { Network } from './acts.ts'
import type { Call, Plugin } from './plugin.ts'
import type { Post } from './service.ts'
import type { ServiceJob } from './service-job.ts'

/** Part of a call that ended: `wait` is `job.result()`, `row` is a run of a batch. */
export type Phase = 'run' | 'submit' | 'wait' | 'row'

/** What a caller got for one run. */
export type Outcome = { key: string; phase: Phase } & (
  | { status: 'fulfilled'; jobId: unknown; urls: readonly unknown[] }
  | { status: 'rejected'; reason: unknown; jobId?: string | undefined }
)

/** A run of a durable batch, and what is stored of it. */
export interface Row {
  key: string
  state: string
  jobId?: string | undefined
}

/** Everything that was seen in one cell, by the service and by the caller. Judges read nothing else. */
export interface Evidence {
  network: Network
  plugin: Plugin
  call: Call
  posts: readonly Post[]
  jobs: readonly ServiceJob[]
  outcomes: readonly Outcome[]
  /** What the loop over many runs threw. */
  loopError?: unknown
  /** True when the call did not settle, however long was waited. */
  isHung: boolean
  /** How much later than promised it settled, less what this process was busy; negative when in time. */
  lateMs: number
  /** When the caller got the outcome. */
  settledAt: number
  rows: readonly Row[]
  /** Problems of the second, healed part of the call: what the results cannot be reached by. */
  unreachable: readonly string[]
  /** Timers and listeners that are left after the call. */
  left: readonly string[]
}

/** A promise that a cell broke. */
export interface Broken {
  promise: Promised
  detail: string
}

export const PROMISES = {
  once: 'a run is sent once, unless it was rejected',
  truth: '`submission` and message say what happened',
  id: 'the id of a job that was received is kept',
  time: 'a call settles in time',
  ours: 'every error is a ModelRunError',
  result: 'a result is returned or can be reached',
  harmless: 'what cannot be a reason to fail is not',
  books: 'the batch knows each credit that was charged',
  clean: 'nothing is left behind',
} as const
export type Promised = keyof typeof PROMISES
