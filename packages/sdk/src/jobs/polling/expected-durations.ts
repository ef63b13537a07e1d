import type { JobWatch } from './job-watch.ts'

/** Between which ages the jobs of a model usually end. */
export interface ExpectedDuration {
  /** Age before which a job rarely ends, in milliseconds. */
  earliestMs: number
  /** Age after which a job has rarely not ended, in milliseconds. */
  latestMs: number
}

/** What a client has seen of how long the jobs of each model take. */
export interface ExpectedDurations {
  /** Notes that a job ended between two ages: at the look before the last one it had not, at the last one it had. */
  learn(modelId: string, afterMs: number, beforeMs: number): void
  /** Undefined while nothing is known. */
  of(modelId: string): ExpectedDuration | undefined
}

/** Latest jobs of a model that count: older ones are forgotten, so that a model that got faster is noticed. */
const MAX_SAMPLES = 32
/** Models that are remembered; the one that was learnt of longest ago is forgotten first. */
const MAX_MODELS = 100
/** How far one single job may be off, as a share of its duration. More jobs make this smaller. */
const DOUBT = 0.2

/** A job that had ended before it was expected to took at least this share of the time until the look. */
const SHORTEST_SHARE = 0.7

/** A job's duration: half a poll interval to either side. */
interface Sample {
  ms: number
  doubtMs: number
}

export function createUsualDurations(): ExpectedDurations {
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
      return samples && usualDuration(samples)
    },
  }
}

/** Notes how long a job took that a look found finished; `runningAt`: when it was known to be running still. */
export function learnFrom(durations: ExpectedDurations, watch: JobWatch, runningAt: number): void {
  const { job, state, bornAt, seenAt = bornAt, isSeenFromStart } = watch
  if (!isSeenFromStart || job.modelId === undefined || state?.status !== 'succeeded') return
  const ageMs = seenAt - bornAt
  durations.learn(job.modelId, Math.max(runningAt - bornAt, ageMs * SHORTEST_SHARE), ageMs)
}

/** From the quartiles, so that one odd job in four changes nothing; half as wide again reaches the ends of a usual spread. */
function usualDuration(samples: readonly Sample[]): ExpectedDuration {
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
