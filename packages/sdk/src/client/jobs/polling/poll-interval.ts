import { jitter } from '../../../shared/backoff.ts'
import { type Log, textOf, watch } from '../../observe/logger.ts'
import type { PolledJob } from './polled-jobs.ts'
import type { ExpectedDuration, PollContext, ResolvedPolling } from './polling-options.ts'

/** The options that the interval depends on. */
export interface IntervalOptions {
  polling: ResolvedPolling
  random: () => number
  log: Log
}

/** The jitter, as a share of the interval. It keeps jobs that were submitted together from being polled together. */
const JITTER = [-0.1, 0.1] as const

/** Returns a function that computes how many milliseconds after its last poll a job is polled again. */
export function createPollInterval(
  options: IntervalOptions,
  durations: ExpectedDurations,
): (polled: PolledJob) => number {
  const { polling, random } = options
  return (polled) => {
    const context = contextOf(polled, durations)
    const defaultDelayMs = nextPollDelayMs(context, polling)
    const delayMs = customDelayMs(options, { ...context, defaultDelayMs }) ?? defaultDelayMs
    return delayMs + jitter(Math.min(delayMs, polling.maxIntervalMs), JITTER, random)
  }
}

function contextOf(polled: PolledJob, durations: ExpectedDurations): PollContext {
  const { job, state, subscribers, bornAt, polledAt, polls } = polled
  const { jobId, modelId, submittedAt } = job
  return {
    jobId,
    modelId,
    status: state?.status,
    ageMs: polledAt - bornAt,
    polls,
    expected: submittedAt === undefined || modelId === undefined ? undefined : durations.of(modelId),
    isWatched: subscribers.some(({ wantsStates }) => wantsStates),
    hasWebhook: subscribers.every(({ hasWebhook }) => hasWebhook),
  }
}

/** The caller's interval. A function that fails or gives no number is logged, and the waits of other callers continue. */
function customDelayMs(
  { polling, log }: IntervalOptions,
  context: PollContext & { defaultDelayMs: number },
): number | undefined {
  const { nextDelayMs } = polling
  if (!nextDelayMs) return undefined
  const warn = (what: string) =>
    log.warn(`polling.nextDelayMs ${what} for the job ${context.jobId}; the default is used`)
  let delayMs: number | undefined
  const ask = () => {
    const given: unknown = nextDelayMs(context)
    if (typeof given === 'number' && given >= 0) delayMs = given
    else warn(`gave ${textOf(given)}`)
    return given
  }
  watch(ask, (error) => warn(`failed (${textOf(error)})`))
  return delayMs
}

/** The limits of the interval. */
type IntervalLimits = Pick<ResolvedPolling, 'initialIntervalMs' | 'maxIntervalMs'>

/**
 * The interval for a model of unknown duration: 60 % of the job's age, but at most 2.6 s; for a job older than 39 s, a
 * fifteenth of its age. Always within the limits of the options.
 */
const UNKNOWN = { youngShare: 0.6, plateauMs: 2_600, oldDivisor: 15 } as const

/**
 * The interval for a model of known duration: within the expected span, 7.4 % of that span; after it, 30 % of the job's
 * delay is added. The client polls at least once a minute, because a job may fail early.
 */
const KNOWN = { spanShare: 0.074, lateShare: 0.3, maxMs: 60_000 } as const

/** The interval while a webhook is expected: half the job's age, within these limits. */
const WITH_WEBHOOK = { ageShare: 0.5, minMs: 15_000, maxMs: 60_000 } as const

/** Milliseconds until the next poll of a job, before jitter. */
export function nextPollDelayMs(context: PollContext, limits: IntervalLimits): number {
  const { ageMs, expected, isWatched, hasWebhook } = context
  if (hasWebhook) return clamp(ageMs * WITH_WEBHOOK.ageShare, WITH_WEBHOOK.minMs, WITH_WEBHOOK.maxMs)
  const unknown = unknownDelayMs(ageMs, limits)
  if (expected === undefined) return unknown
  const known = knownDelayMs(ageMs, expected, limits)
  return isWatched ? Math.min(unknown, known) : Math.min(KNOWN.maxMs, known)
}

function unknownDelayMs(ageMs: number, { initialIntervalMs, maxIntervalMs }: IntervalLimits): number {
  const delayMs = Math.min(ageMs * UNKNOWN.youngShare, Math.max(UNKNOWN.plateauMs, ageMs / UNKNOWN.oldDivisor))
  return Math.min(maxIntervalMs, Math.max(initialIntervalMs, delayMs))
}

/** No poll before the expected span starts, short intervals within it, growing intervals after it. */
function knownDelayMs(ageMs: number, { earliestMs, latestMs }: ExpectedDuration, limits: IntervalLimits): number {
  const shortest = Math.min(limits.initialIntervalMs / 2, limits.maxIntervalMs)
  const close = clamp((latestMs - earliestMs) * KNOWN.spanShare, shortest, limits.maxIntervalMs)
  if (ageMs < earliestMs) return Math.max(close, earliestMs - ageMs)
  const late = close + Math.max(0, ageMs - latestMs) * KNOWN.lateShare
  return Math.min(late, Math.max(close, unknownDelayMs(ageMs, limits)))
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}

/** How long the jobs of each model take, as a client has observed it. */
export interface ExpectedDurations {
  /** Records that a job ended between its last poll that found it running and its first poll that found it finished. */
  learn(modelId: string, afterMs: number, beforeMs: number): void
  /** Undefined while nothing is known. */
  of(modelId: string): ExpectedDuration | undefined
}

/** Number of latest jobs of a model that count. Older jobs are dropped, so that the estimate follows a model that got faster. */
const MAX_SAMPLES = 32
/** Largest number of models. The model whose last job is oldest is dropped first. */
const MAX_MODELS = 100
/** Uncertainty of a single job, as a share of its duration. It shrinks with the number of jobs. */
const DOUBT = 0.2

/** If the first poll already finds the job finished, it is assumed to have taken at least this share of the elapsed time. */
const SHORTEST_SHARE = 0.7

/** A job's duration, known to half a poll interval to either side. */
interface Sample {
  ms: number
  doubtMs: number
}

export function createExpectedDurations(): ExpectedDurations {
  const models = new Map<string, Sample[]>()
  return {
    learn: (modelId, afterMs, beforeMs) => {
      const samples = models.get(modelId) ?? []
      samples.push({ ms: (afterMs + beforeMs) / 2, doubtMs: (beforeMs - afterMs) / 2 })
      if (samples.length > MAX_SAMPLES) samples.shift()
      models.delete(modelId)
      models.set(modelId, samples)
      const oldest = models.keys().next()
      if (models.size > MAX_MODELS && !oldest.done) models.delete(oldest.value)
    },
    of: (modelId) => {
      const samples = models.get(modelId)
      return samples && expectedDuration(samples)
    },
  }
}

/** Records the duration of a job that a poll found finished. `runningAt`: when the job was last known to be running. */
export function learnFrom(durations: ExpectedDurations, polled: PolledJob, runningAt: number): void {
  const { job, state, bornAt, seenAt = bornAt, isSeenFromStart } = polled
  if (!isSeenFromStart || job.modelId === undefined || state?.status !== 'succeeded') return
  const ageMs = seenAt - bornAt
  durations.learn(job.modelId, Math.max(runningAt - bornAt, ageMs * SHORTEST_SHARE), ageMs)
}

/** Uses quartiles, so that outliers do not change the estimate, and widens the range by half to cover normal variation. */
function expectedDuration(samples: readonly Sample[]): ExpectedDuration {
  const durations = samples.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const [lower, middle, upper] = [quantile(durations, 0.25), quantile(durations, 0.5), quantile(durations, 0.75)]
  const doubts = samples.map(({ doubtMs }) => doubtMs).toSorted((a, b) => a - b)
  const spread = Math.max(upper - lower, (DOUBT * middle) / samples.length, quantile(doubts, 0.25))
  const center = (lower + upper) / 2
  return { earliestMs: Math.max(0, center - spread), latestMs: center + spread }
}

function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(position)] ?? 0, sorted[Math.ceil(position)] ?? 0]
  return below + (above - below) * (position % 1)
}
