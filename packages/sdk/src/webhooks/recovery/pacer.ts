import { sleep } from '../../abort.ts'
import type { Clock } from '../../clock.ts'
import { createRateLimit } from '../../jobs/polling/rate-limit.ts'

/** Requests in a second at most. */
const REQUESTS_PER_SECOND = 2

/** When the next look at an overdue job may begin. */
export interface Pacer {
  /** Waits for a turn. @throws The reason of the signal, when it aborts */
  turn(signal: AbortSignal): Promise<void>
  /** No looks for this long. */
  pause(delayMs: number): void
  readonly isPaused: boolean
}

export function createPacer(clock: Clock): Pacer {
  const rate = createRateLimit(REQUESTS_PER_SECOND)
  let pausedUntil = Number.NEGATIVE_INFINITY
  return {
    turn: async (signal) => {
      const now = clock.now()
      const at = Math.max(now, rate.nextAt())
      rate.take(at)
      if (at > now) await sleep(clock, at - now, signal)
    },
    pause: (delayMs) => {
      pausedUntil = Math.max(pausedUntil, clock.now() + delayMs)
    },
    get isPaused() {
      return clock.now() < pausedUntil
    },
  }
}
