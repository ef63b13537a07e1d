import { backoffMs } from '../../backoff.ts'
import type { Clock } from '../../clock.ts'
import { createRateLimit } from '../../rate-limit.ts'
import type { PollOutcome } from './polled-jobs.ts'

/** Limits the polls of a client: their number at once, their rate, and none during a pause after a 429. */
export interface PollLimiter {
  /** The earliest time of the next poll, in milliseconds of the clock. `Infinity` while another poll must end first. */
  nextAt(): number
  /** Starts a poll. Call the returned function with its outcome. */
  take(): (outcome: PollOutcome) => void
}

/** Largest number of polls at once. */
const MAX_IN_FLIGHT = 8
/** The pause after a 429 without `Retry-After`. It doubles each time that the first poll after it gets a 429 too. */
const PAUSE = { baseMs: 1_000, maxMs: 30_000 } as const

/** @param maxPerSecond Polls in any second; `Infinity` for no limit */
export function createPollLimiter(clock: Clock, maxPerSecond: number): PollLimiter {
  const rate = createRateLimit(maxPerSecond)
  let inFlight = 0
  let rejections = 0
  let rejectedAt = Number.NEGATIVE_INFINITY
  let pausedUntil = Number.NEGATIVE_INFINITY

  function pause(startedAt: number, retryAfterMs: number | undefined): void {
    // Polls that were under way together get their 429 together: that counts once.
    if (startedAt > rejectedAt) rejections++
    rejectedAt = clock.now()
    const pauseMs = retryAfterMs ?? backoffMs(rejections, PAUSE)
    pausedUntil = Math.max(pausedUntil, rejectedAt + pauseMs)
  }

  return {
    nextAt: () => (inFlight < MAX_IN_FLIGHT ? Math.max(rate.nextAt(), pausedUntil) : Number.POSITIVE_INFINITY),
    take: () => {
      const startedAt = clock.now()
      rate.take(startedAt)
      inFlight++
      return (outcome) => {
        inFlight--
        if ('job' in outcome) rejections = 0
        else if ('failure' in outcome && outcome.failure.status === 429) pause(startedAt, outcome.failure.retryAfterMs)
      }
    },
  }
}
