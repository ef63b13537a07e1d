import type { PolledJob } from './polled-jobs.ts'

/** The ages between which the jobs of a model are expected to end. */
export interface ExpectedDuration {
  /** Age before which a job rarely ends, in milliseconds. */
  earliestMs: number
  /** Age by which most jobs have ended, in milliseconds. */
  latestMs: number
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
