/** Limits of an exponential backoff, in milliseconds. */
export interface BackoffLimits {
  /** Delay after the first attempt. */
  baseMs: number
  maxMs: number
  /** Factor from one delay to the next. Default 2. */
  growth?: number
}

/**
 * Exponential backoff without jitter: `baseMs` after the first attempt, `growth` times as long after each further one, at most `maxMs`.
 *
 * @param attempt Number of attempts so far, from 1
 */
export function backoffMs(attempt: number, { baseMs, maxMs, growth = 2 }: BackoffLimits): number {
  return Math.min(maxMs, baseMs * growth ** (attempt - 1))
}

/**
 * A random part of a delay, so that clients that failed together do not retry together.
 *
 * @param share The smallest and the largest part: `[0, 1]` for full jitter, `[0.5, 1]` for the upper half
 * @param random Gives a number from 0 up to 1
 */
export function jitter(
  delayMs: number,
  [from, to]: readonly [from: number, to: number],
  random: () => number = Math.random,
): number {
  return delayMs * (from + random() * (to - from))
}

/** Keeps the starts of requests under a rate, in any second and not only on average. */
export interface RateLimit {
  /** The earliest time of the next start, in milliseconds of the client's clock. */
  nextAt(): number
  /** Records a start. */
  take(now: number): void
}

/** @param perSecond Starts within a second; below 1 for one start in several seconds, `Infinity` for no limit */
export function createRateLimit(perSecond: number): RateLimit {
  const capacity = Math.max(1, Math.floor(perSecond))
  const windowMs = Math.max(1_000, 1_000 / perSecond)
  /** The latest starts, oldest first. */
  const starts: number[] = []
  return {
    nextAt: () => (starts.length < capacity ? Number.NEGATIVE_INFINITY : (starts[0] ?? 0) + windowMs),
    take: (now) => {
      if (capacity === Number.POSITIVE_INFINITY) return
      starts.push(now)
      if (starts.length > capacity) starts.shift()
    },
  }
}
