import type { ResolvedOptions } from '../../options.ts'
import type { Look } from './look-at-job.ts'
import { createRateLimit } from './rate-limit.ts'

/** When the next look may begin: few at once, a limited rate, and none while the service says that it was too many. */
export interface LookPermit {
  /** In milliseconds of the client's clock; `Infinity` while another look must end first. */
  nextAt(): number
  /** Begins a look; what it returns is to be called with what the look brought. */
  take(): (brought: Look) => void
}

/** Looks that are under way at once. */
const MAX_IN_FLIGHT = 8
/** The pause after a 429 without `Retry-After`; twice as long each time that the first look after it is refused too. */
const PAUSE = { baseMs: 1_000, maxMs: 30_000 } as const

export function createLookPermit({ clock, polling }: ResolvedOptions): LookPermit {
  const rate = createRateLimit(polling.maxRequestsPerSecond)
  let inFlight = 0
  let rejections = 0
  let refusedAt = Number.NEGATIVE_INFINITY
  let pausedUntil = Number.NEGATIVE_INFINITY

  function pause(startedAt: number, retryAfterMs: number | undefined): void {
    // Looks that were under way together are refused together: that counts once.
    if (startedAt > refusedAt) rejections++
    refusedAt = clock.now()
    const pauseMs = retryAfterMs ?? Math.min(PAUSE.maxMs, PAUSE.baseMs * 2 ** (rejections - 1))
    pausedUntil = Math.max(pausedUntil, refusedAt + pauseMs)
  }

  return {
    nextAt: () => (inFlight < MAX_IN_FLIGHT ? Math.max(rate.nextAt(), pausedUntil) : Number.POSITIVE_INFINITY),
    take: () => {
      const startedAt = clock.now()
      rate.take(startedAt)
      inFlight++
      return (brought) => {
        inFlight--
        if ('job' in brought) rejections = 0
        else if ('failure' in brought && brought.failure.status === 429) pause(startedAt, brought.failure.retryAfterMs)
      }
    },
  }
}
