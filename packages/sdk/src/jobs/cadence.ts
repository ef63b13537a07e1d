/** How a job is polled, resolved. */
export interface Cadence {
  initialIntervalMs: number
  maxIntervalMs: number
}

/** Share of the job's age after which it is looked at again. */
const AGE_SHARE = 0.2

/** Half width of the jitter, so that jobs of one moment do not stay in step. */
const JITTER = 0.1

/**
 * Milliseconds until the next look at a job: short for a young job, a fifth of the age for an older one, capped. The
 * delay it adds to the result stays in proportion to what the job took anyway.
 */
export function nextPollDelayMs(ageMs: number, cadence: Cadence, random: () => number): number {
  const delayMs = Math.min(cadence.maxIntervalMs, Math.max(cadence.initialIntervalMs, ageMs * AGE_SHARE))
  return delayMs * (1 - JITTER + 2 * JITTER * random())
}
