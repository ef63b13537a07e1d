import type { ResolvedOptions } from '../../options.ts'
import type { PollOutcome } from './look-at-job.ts'
import { createRateLimit } from './rate-limit.ts'

/** When the next look may begin: few at once, a limited rate, and none while the service says that it was too many. */
export interface PollLimiter {
  /** In milliseconds of the client's clock; `Infinity` while another look must end first. */
  nextAt(): number
  /** Begins a look; what it returns is to be called with what the look brought. */
  take(): (outcome: PollOutcome) => void
}

/** Looks that are under way at once. */
const MAX_IN_FLIGHT = 8
/** The pause after a 429 without `Retry-After`; twice as long each time that the first look after it is refused too. */
const PAUSE = { baseMs: 1_000, maxMs: 30_000 } as const

export function createPollLimiter({ clock, polling }: ResolvedOptions): PollLimiter {
  const rate = createRateLimit(polling.maxRequestsPerSecond)
  let inFlight = 0
  let rejections = 0
  let rejectedAt = Number.NEGATIVE_INFINITY
  let pausedUntil = Number.NEGATIVE_INFINITY

  function pause(startedAt: number, retryAfterMs: number | undefined): void {
    // Looks that were under way together are refused together: that counts once.
    if (startedAt > rejectedAt) rejections++
    rejectedAt = clock.now()
    const pauseMs = retryAfterMs ?? Math.min(PAUSE.maxMs, PAUSE.baseMs * 2 ** (rejections - 1))
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
