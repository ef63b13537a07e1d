import { jitter } from '@modelrun/kit'
import type { Output } from 'modelrun'
import type { Engine, Rate, TaskFailure } from '../engine/engine.ts'
import type { Run } from './run-types.ts'

/** What of a run decides how it has ended. */
export type RunEnd = Pick<Run, 'state' | 'jobId' | 'output' | 'error'>

/** A run as a step of a workflow returns it: JSON for a journal, without model and input. */
export type StepRun = OpenStep | EndedStep

interface StepBase {
  /** Name of the run in its batch. */
  readonly key: string
  /** Known once the service has accepted it. */
  readonly jobId?: string | undefined
}

/** A run that waits or runs: call again. */
export interface OpenStep extends StepBase {
  /** As of `Run`. */
  readonly state: 'waiting' | 'running'
  /** Milliseconds after which to call again, from 50 to 300,000. */
  readonly afterMs: number
  /** Why the batch is paused. */
  readonly error?: TaskFailure | undefined
}

/** A run whose state stays until a user decides otherwise. */
export type EndedStep = StepBase &
  (
    | { readonly state: 'succeeded'; readonly output: Output; readonly afterMs?: undefined }
    | {
        readonly state: 'failed' | 'cancelled' | 'rejected' | 'unknown'
        readonly error: TaskFailure
        readonly afterMs?: undefined
      }
  )

const NO_REASON: TaskFailure = { code: 'UNKNOWN', message: 'No reason is stored.' }

/** Returns a run that has ended or is unknown as a step; `undefined` while it is open. */
export function endedStep({
  key,
  state,
  jobId,
  output,
  error = NO_REASON,
}: RunEnd & Pick<Run, 'key'>): EndedStep | undefined {
  if (state === 'waiting' || state === 'running') return undefined
  const base = jobId === undefined ? { key } : { key, jobId }
  if (state !== 'succeeded') return { ...base, state, error }
  return output === undefined ? undefined : { ...base, state, output }
}

const SHORTEST_MS = 50
/** A pause has no end, and a workflow that sleeps does not notice when it is over. */
const LONGEST_MS = 300_000

/** An open run as a step. */
export function openStep(step: OpenStep): OpenStep {
  const { jobId, error, ...rest } = step
  const afterMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.ceil(step.afterMs)))
  return { ...rest, afterMs, ...(jobId === undefined ? {} : { jobId }), ...(error === undefined ? {} : { error }) }
}

/**
 * Returns a wait that is spread over the time in which the rate starts all tasks that wait: otherwise all callers come back at
 * the same moment, and one of them gets its turn. Never rejects.
 */
export async function spread(waitMs: number, rate: Rate | undefined, count: () => ReturnType<Engine['count']>) {
  if (rate === undefined) return waitMs
  const waiting = await count().then(
    (counts) => counts.waiting,
    () => 0,
  )
  return waitMs + (waiting > rate.max ? jitter((waiting * rate.perMs) / rate.max, [0, 1]) : 0)
}
