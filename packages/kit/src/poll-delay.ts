import type { ExpectedDuration } from './durations.ts'

/** What the interval until the next poll of a job depends on. */
export interface PollAge {
  /** Milliseconds since the job was submitted. */
  ageMs: number
  /** Between which ages the jobs of its model are expected to end. */
  expected?: ExpectedDuration | undefined
  /** True when each state is wanted, and not only the end. */
  isWatched?: boolean | undefined
  /** True when a webhook is expected to deliver the end. Polls are a safety net then. */
  hasWebhook?: boolean | undefined
}

/** The limits of the interval. */
export interface PollLimits {
  initialIntervalMs: number
  maxIntervalMs: number
}

/**
 * The interval for a model of unknown duration: 60 % of the job's age, but at most 2.4 s; for a job older than 48 s, a
 * twentieth of its age. Always within the limits.
 */
const UNKNOWN = { youngShare: 0.6, plateauMs: 2_400, oldDivisor: 20 } as const

/**
 * Polls within the expected span. Each interval is shorter than the one before: a late poll is seldom needed, so it may cost more.
 * For jobs that end anywhere in the span, no other intervals have a smaller mean lag with as many polls.
 */
const POLLS_IN_SPAN = 20

/** After the expected span, this share of the delay is added to the interval. */
const LATE_SHARE = 0.3

/** Longest interval, whatever was learned: a job may fail early, and what was learned may be wrong. */
const LONGEST_MS = 60_000

/** The interval while a webhook is expected: half the job's age, within these limits. */
const WITH_WEBHOOK = { ageShare: 0.5, minMs: 15_000, maxMs: LONGEST_MS } as const

/** Milliseconds until the next poll of a job, before jitter: above 0, and a minute at most. */
export function pollDelayMs(job: PollAge, limits: PollLimits): number {
  const { expected, isWatched, hasWebhook } = job
  // Below 0 by a clock that was set back.
  const ageMs = Math.max(0, job.ageMs)
  if (hasWebhook) return clamp(ageMs * WITH_WEBHOOK.ageShare, WITH_WEBHOOK.minMs, WITH_WEBHOOK.maxMs)
  const unknown = unknownDelayMs(ageMs, limits)
  if (expected === undefined) return unknown
  const known = knownDelayMs(ageMs, expected, limits)
  return isWatched ? Math.min(unknown, known) : Math.min(LONGEST_MS, known)
}

function unknownDelayMs(ageMs: number, { initialIntervalMs, maxIntervalMs }: PollLimits): number {
  const delayMs = Math.min(ageMs * UNKNOWN.youngShare, Math.max(UNKNOWN.plateauMs, ageMs / UNKNOWN.oldDivisor))
  return Math.min(maxIntervalMs, Math.max(initialIntervalMs, delayMs))
}

/** No poll before the expected span starts, shorter and shorter intervals within it, growing intervals after it. */
function knownDelayMs(ageMs: number, { earliestMs, latestMs }: ExpectedDuration, limits: PollLimits): number {
  const { maxIntervalMs } = limits
  const shortest = Math.min(limits.initialIntervalMs / 2, maxIntervalMs)
  const stepMs = (2 * (latestMs - earliestMs)) / (POLLS_IN_SPAN * (POLLS_IN_SPAN + 1))
  const first = clamp(stepMs * POLLS_IN_SPAN, shortest, maxIntervalMs)
  if (ageMs < earliestMs) return earliestMs - ageMs + first
  const within = clamp(stepMs * pollsLeft(latestMs - ageMs, stepMs), shortest, maxIntervalMs)
  const late = within + Math.max(0, ageMs - latestMs) * LATE_SHARE
  return Math.min(late, Math.max(within, unknownDelayMs(ageMs, limits)))
}

/** How many intervals of `n`, `n - 1`, … 1 steps fill the rest of the span. */
function pollsLeft(leftMs: number, stepMs: number): number {
  return leftMs <= 0 ? 0 : (Math.sqrt(1 + (8 * leftMs) / stepMs) - 1) / 2
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
