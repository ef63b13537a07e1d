export { type BackoffLimits, backoffMs, jitter } from '@modelrun/kit'

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
