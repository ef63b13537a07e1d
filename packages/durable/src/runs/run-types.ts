import { defined, readArguments, showValue, type TaskFailure } from '@modelrun/kit'
import { ConfigurationError, type Job, type Output } from 'modelrun'

interface OpenEnd {
  /** `waiting`: not sent yet. `running`: it is being sent, or the service has accepted it. */
  readonly state: 'waiting' | 'running'
  /** Of a run that succeeded. */
  readonly output?: undefined
  /** Of a run that failed, was cancelled or rejected, or is unknown. */
  readonly error?: undefined
}

/**
 * - `succeeded`, `failed`: its job ended
 * - `cancelled`: it was cancelled, at the service or before it was sent; nothing was charged
 * - `rejected`: the service rejected it, or it would exceed the budget; nothing was charged
 * - `unknown`: it may have been sent, and it is not known whether the service accepted it; or, with a `jobId`, the polls of its
 *   job were given up
 */
type KnownEnd =
  | { readonly state: 'succeeded'; readonly output: Output; readonly error?: undefined }
  | {
      readonly state: 'failed' | 'cancelled' | 'rejected' | 'unknown'
      readonly output?: undefined
      readonly error: TaskFailure
    }

/** What every run has. */
export interface RunBase {
  /** Unique within its batch. */
  readonly key: string
  /** Id of the model. */
  readonly model: string
  /** Parameters of the model. */
  readonly input: Readonly<Record<string, unknown>>
  /** Highest price, in credits, at which it is sent: what was agreed to when it was added. Undefined: any price. */
  readonly maxCredits?: number | undefined
  /** Where the service delivers the result, when `send` named it. */
  readonly webhookUrl?: string | undefined
  /** Known once the service has accepted it. */
  readonly jobId?: string | undefined
  /** When it was added, in milliseconds since 1970. */
  readonly addedAt?: number | undefined
  /** When it was sent last: right before the POST. An `unknown` run may have been charged then; after a `resubmit` also earlier. */
  readonly sentAt?: number | undefined
  /** When its end was stored. */
  readonly endedAt?: number | undefined
  /** Identifier of the request at the service, when it gave one. */
  readonly requestId?: string | undefined
}

/** A run of a batch. Its `state` says whether it has an `output` or an `error`. */
export type Run = RunBase & (OpenEnd | KnownEnd)

/** How a run ended. */
export type EndState = Outcome['state']

/** Whether nothing changes the run any more, except a decision to retry it. */
export function isEnded<Any extends Run>(run: Any): run is Any & { state: EndState } {
  const { state } = run
  return state !== 'waiting' && state !== 'running' && state !== 'unknown'
}

/** The end of a run that nothing changes any more, except a decision to retry it. */
export type FinalEnd = KnownEnd & { readonly state: EndState }

/** A run that has ended. */
export type FinishedRun = RunBase &
  FinalEnd & {
    /** For `after` of the next `results()`, which then starts with the following run. */
    readonly cursor: string
  }

/** Progress of a batch. */
export interface RunsProgress {
  /** Runs that were added. */
  readonly total: number
  /** Runs that were not sent yet. */
  readonly waiting: number
  /** Runs that are being sent, or that the service has accepted. */
  readonly running: number
  /** Runs that ended: `succeeded`, `failed`, `cancelled` and `rejected` together. */
  readonly done: number
  /** Runs that ended with an output. */
  readonly succeeded: number
  /** Runs whose job failed. */
  readonly failed: number
  /** Runs that were cancelled. */
  readonly cancelled: number
  /** Runs that were not accepted, by the service or for the budget. */
  readonly rejected: number
  /** Runs that need a decision: see `resolve` and `resubmit`. */
  readonly unknown: number
  /** How long the oldest run that could be sent has waited for a process, in milliseconds: the number for an alarm. */
  readonly oldestDueMs: number
  /** Whether the batch is paused, by `pause`. */
  readonly isPaused: boolean
  /**
   * Price of all runs that were sent, in credits: the maximum that was charged. Without any limit, prices are read once a minute,
   * and one that is not a number, or that the service does not show (403, 404), counts as 0.
   */
  readonly credits: number
}

/** Data of a task of the queue `submit`. */
export interface SubmitData {
  readonly model: string
  readonly input: Readonly<Record<string, unknown>>
  readonly maxCredits?: number | undefined
  readonly webhookUrl?: string | undefined
}

/** A run as a caller gives it: its input may be an object of any type. */
export type GivenRun = Omit<SubmitData, 'input'> & { readonly input: object }

export interface PollData {
  readonly model: string
  readonly jobId: string
  /** Milliseconds since 1970. */
  readonly submittedAt: number
  readonly requestId?: string | undefined
  /** True when the run may have been sent before. */
  readonly mayBeResubmit?: boolean | undefined
  /** True when the task of the submit may be dead: a user named this job, or the process was late. */
  readonly mayBeUnknown?: boolean | undefined
}

/** Between which ages a job of a model ended. */
export interface Took {
  readonly model: string
  readonly runningMs: number
  readonly finishedMs: number
}

/** How a run ended. Data of a task of the queue `outcomes`. */
export type Outcome = { readonly took?: Took | undefined; readonly requestId?: string | undefined } & (
  | { readonly state: 'succeeded'; readonly jobId?: string | undefined; readonly output: Output }
  | { readonly state: 'failed'; readonly jobId: string; readonly error: TaskFailure }
  | { readonly state: 'rejected'; readonly error: TaskFailure; readonly maxCredits?: number | undefined }
  | ({
      readonly state: 'cancelled'
      readonly jobId?: string | undefined
      readonly error: TaskFailure
    } & Partial<SubmitData>)
)

/** Of a run that is not sent. */
export type UnsentOutcome = Extract<Outcome, { readonly state: 'rejected' | 'cancelled' }>

/** Returns how a run ended, from the job of a poll or a delivery; `undefined` while the job has not ended. */
export function outcomeOf(jobId: string, { status, output, error }: Job): Outcome | undefined {
  // A result in hand may have no job that can be named.
  if (status === 'succeeded' && output !== undefined) return { state: 'succeeded', jobId: jobId || undefined, output }
  if (status === 'failed') {
    const { code = 'UNKNOWN', message = 'The service gave no reason.' } = error ?? {}
    return { state: 'failed', jobId, error: { code, message } }
  }
  if (status !== 'cancelled') return undefined
  return { state: 'cancelled', jobId, error: { code: 'CANCELLED', message: 'The job was cancelled.' } }
}

/** How a run ends that is cancelled before it is sent. */
export function cancelledBefore({ model, input }: SubmitData): UnsentOutcome {
  const error = { code: 'CANCELLED', message: 'The run was cancelled before it was sent.' }
  return { state: 'cancelled', error, model, input }
}

export type RunEnd = Pick<RunBase, 'jobId'> & (OpenEnd | KnownEnd)

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
export type EndedStep = StepBase & KnownEnd & { readonly afterMs?: undefined }

export const NO_REASON: TaskFailure = { code: 'UNKNOWN', message: 'No reason is stored.' }

/** Returns a run that has ended or is unknown as a step; `undefined` while it is open. */
export function endedStep(run: RunEnd & Pick<RunBase, 'key'>): EndedStep | undefined {
  const { key, jobId } = run
  const base = jobId === undefined ? { key } : { key, jobId }
  if (run.state === 'succeeded') return { ...base, state: run.state, output: run.output }
  return run.error && { ...base, state: run.state, error: run.error }
}

const SHORTEST_MS = 50
/** A pause has no end, and a workflow that sleeps does not notice when it is over. */
const LONGEST_MS = 300_000

export function openStep(step: OpenStep): OpenStep {
  const afterMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.ceil(step.afterMs)))
  return defined({ ...step, afterMs })
}

/** Separates the key of a run from the number of its attempt. Keys of users never have it. */
const SEPARATOR = '\u001e'

const LONGEST_KEY = 300
const NOT_IN_KEYS = new RegExp(`[\\0${SEPARATOR}\\p{Cs}]`, 'u')

/** The id of an attempt, from 1, in the queues of a batch. A retried run has several; each is sent at most once. */
export function attemptId(key: string, attempt: number): string {
  return attempt === 1 ? key : `${key}${SEPARATOR}${attempt}`
}

export function nextAttemptId(id: string): string {
  const [key = id, attempt = '1'] = id.split(SEPARATOR)
  return attemptId(key, Number(attempt) + 1)
}

export function attemptBefore(id: string): string | undefined {
  const [key = id, attempt] = id.split(SEPARATOR)
  return attempt === undefined ? undefined : attemptId(key, Number(attempt) - 1)
}

export function keyOf(id: string): string {
  return id.split(SEPARATOR, 1)[0] ?? id
}

/** @throws ConfigurationError */
export function checkKey(key: unknown): string {
  return readArguments('createRuns', () => {
    if (typeof key === 'string' && key !== '' && key.length <= LONGEST_KEY && !NOT_IN_KEYS.test(key)) return key
    const message = `The run key must be a string of 1 to ${LONGEST_KEY} characters without U+001E, NUL and halves of characters, not ${showValue(key)}.`
    throw new ConfigurationError({ message })
  })
}
