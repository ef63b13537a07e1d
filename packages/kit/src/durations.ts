import { NewestMap } from './collections.ts'
/** The ages between which the jobs of a model are expected to end. */
export interface ExpectedDuration {
  /** Age before which a job rarely ends, in milliseconds. */
  earliestMs: number
  /** Age by which most jobs have ended, in milliseconds. */
  latestMs: number
}

/** Between which ages a job ended: what two polls of it saw. */
export interface ObservedEnd {
  /** Age at the last poll that found it running, in milliseconds; 0 when there was none. */
  runningMs: number
  /** Age at the first poll that found it finished. */
  finishedMs: number
}

/** How long the jobs of each model take, as one process has observed it. */
export type Durations = ReturnType<typeof createDurations>

/** Number of latest jobs of a model that count. Older jobs are dropped, so that the estimate follows a model that got faster. */
const MAX_SAMPLES = 32
/** Largest number of models. The model whose last job is oldest is dropped first. */
const MAX_MODELS = 100
/** Uncertainty of a single job, as a share of its duration. It shrinks with the number of jobs. */
const DOUBT = 0.2

/** Half the width of the expected span, in distances of the quartiles: jobs that end anywhere in a span are all within it. */
const WIDTH = 1.1

/**
 * Two polls that are further apart than this share of the later one's age, and than `CLOSE_MS`, do not say how long the job took:
 * the process was stopped, the machine slept, or service, store or network failed in between.
 */
const CLOSE_SHARE = 0.5
const CLOSE_MS = 1_000

/** A job that ended before it was expected to, and was not polled earlier, is assumed to have taken at least this share of its age. */
const SHORTEST_SHARE = 0.7

/** A job's duration, known to half a poll interval to either side. */
interface Sample {
  ms: number
  doubtMs: number
}

/** Creates the durations of the models that one client or batch runs. */
export function createDurations() {
  const models = new NewestMap<string, Sample[]>(MAX_MODELS)
  /** Undefined while nothing is known. */
  const of = (modelId: string): ExpectedDuration | undefined => {
    const samples = models.get(modelId)
    return samples && expectedDuration(samples)
  }
  return {
    of,
    /** Counts an end, when it says how long the job took. Returns whether it did. */
    learn: (modelId: string, end: ObservedEnd): boolean => {
      const sample = sampleOf(end, of(modelId))
      if (sample === undefined) return false
      const samples = models.get(modelId) ?? []
      samples.push(sample)
      if (samples.length > MAX_SAMPLES) samples.shift()
      models.set(modelId, samples)
      return true
    },
  }
}

function sampleOf({ runningMs, finishedMs }: ObservedEnd, expected: ExpectedDuration | undefined): Sample | undefined {
  // The other way round, or below 0: a clock jumped.
  if (!(runningMs >= 0 && runningMs <= finishedMs)) return undefined
  const isBounded = finishedMs - runningMs <= Math.max(CLOSE_MS, finishedMs * CLOSE_SHARE)
  // One poll is a bound above: it can only make the estimate shorter.
  const isEarly = expected !== undefined && finishedMs < expected.latestMs
  if (!isBounded && !isEarly) return undefined
  const fromMs = isBounded ? runningMs : Math.max(runningMs, earliestOf(finishedMs, expected))
  return { ms: (fromMs + finishedMs) / 2, doubtMs: (finishedMs - fromMs) / 2 }
}

/** The earliest end that is likely for a job of which only the poll is known that found it finished. */
function earliestOf(finishedMs: number, expected: ExpectedDuration | undefined): number {
  const isExpected = expected !== undefined && finishedMs > expected.earliestMs
  return isExpected ? expected.earliestMs : finishedMs * SHORTEST_SHARE
}

/** Uses quartiles, so that outliers do not change the estimate, and a range that is wider than theirs to cover normal variation. */
function expectedDuration(samples: readonly Sample[]): ExpectedDuration {
  const durations = samples.map(({ ms }) => ms).sort((a, b) => a - b)
  const [lower, middle, upper] = [quantile(durations, 0.25), quantile(durations, 0.5), quantile(durations, 0.75)]
  const doubts = samples.map(({ doubtMs }) => doubtMs).sort((a, b) => a - b)
  const spread = Math.max(WIDTH * (upper - lower), (DOUBT * middle) / samples.length, quantile(doubts, 0.25))
  const center = (lower + upper) / 2
  return { earliestMs: Math.max(0, center - spread), latestMs: center + spread }
}

function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(position)] ?? 0, sorted[Math.ceil(position)] ?? 0]
  return below + (above - below) * (position % 1)
}

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
