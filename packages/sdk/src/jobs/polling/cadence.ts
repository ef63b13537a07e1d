import type { JobStatus } from '@modelrun/contract'
import type { ExpectedDuration } from './expected-durations.ts'

/** What the time of the next look at a job can depend on. */
export interface PollContext {
  /** Identifier of the job. */
  jobId: string
  /** The model that was run, when it is known. */
  modelId: string | undefined
  /** What the service said last, in the response to the run or to a poll; undefined when it said nothing yet. */
  status: JobStatus | undefined
  /** Milliseconds since the job was submitted; since its wait began when another process submitted it. */
  ageMs: number
  /** Looks so far. */
  polls: number
  /** Between which ages the jobs of this model usually end, once this client has seen some of them end. */
  expected: ExpectedDuration | undefined
  /** True when somebody wants each state, and not only the end. */
  isWatched: boolean
  /** True when a webhook is to bring the end, so that polls are only a safety net. */
  hasWebhook: boolean
}

/** The limits of the cadence, resolved. */
export interface CadenceLimits {
  initialIntervalMs: number
  maxIntervalMs: number
}

/** While nothing is known: the interval is this share of the job's age ... */
const YOUNG_SHARE = 0.6
/** ... up to here, where it stays ... */
const PLATEAU_MS = 2_600
/** ... until it is this share of the age, up to its maximum. */
const OLD_SHARE = 1 / 15

/** Among the usual ends: the interval is this share of the span between the earliest and the latest. */
const CLOSE_SHARE = 0.074
/** How fast the looks at a job grow apart that is later than usual: this share of how late it is. */
const LATE_SHARE = 0.3
/** Longest time without a look, also when the usual end is far: a job may fail early. */
const MAX_SILENCE_MS = 60_000

/** While a webhook is awaited: a look after this share of the age, within these limits. */
const SAFETY_NET = { ageShare: 0.5, minMs: 15_000, maxMs: 60_000 } as const

/** Milliseconds until the next look at a job, before jitter. */
export function nextPollDelayMs(context: PollContext, limits: CadenceLimits): number {
  const { ageMs, expected, isWatched, hasWebhook } = context
  if (hasWebhook) return clamp(ageMs * SAFETY_NET.ageShare, SAFETY_NET.minMs, SAFETY_NET.maxMs)
  const unknown = unknownDelayMs(ageMs, limits)
  if (expected === undefined) return unknown
  const known = knownDelayMs(ageMs, expected, limits)
  return isWatched ? Math.min(unknown, known) : Math.min(MAX_SILENCE_MS, known)
}

/** Quick for a young job; later the delay that it adds to the result stays small beside what the job took anyway. */
function unknownDelayMs(ageMs: number, { initialIntervalMs, maxIntervalMs }: CadenceLimits): number {
  const delayMs = Math.min(ageMs * YOUNG_SHARE, Math.max(PLATEAU_MS, ageMs * OLD_SHARE))
  return Math.min(maxIntervalMs, Math.max(initialIntervalMs, delayMs))
}

/** Nothing before the usual ends begin, close looks among them, and looks that grow apart after them. */
function knownDelayMs(ageMs: number, { earliestMs, latestMs }: ExpectedDuration, limits: CadenceLimits): number {
  const shortest = Math.min(limits.initialIntervalMs / 2, limits.maxIntervalMs)
  const close = clamp((latestMs - earliestMs) * CLOSE_SHARE, shortest, limits.maxIntervalMs)
  if (ageMs < earliestMs) return Math.max(close, earliestMs - ageMs)
  const late = close + Math.max(0, ageMs - latestMs) * LATE_SHARE
  return Math.min(late, Math.max(close, unknownDelayMs(ageMs, limits)))
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
