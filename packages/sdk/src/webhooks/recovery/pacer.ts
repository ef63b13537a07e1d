import { sleep } from '../../abort.ts'
import type { Clock } from '../../clock.ts'
import { createRateLimit } from '../../jobs/polling/rate-limit.ts'

/** Requests in a second at most. */
const REQUESTS_PER_SECOND = 2

/** When the next look at an overdue job may begin. */
export interface Pacer {
  /**
   * Waits for a turn, and takes it when `begin` resolves to true, as it then does too. What another process was faster
   * at costs none: else many processes, which all go through the same list, would be no faster than one.
   *
   * @throws The reason of the signal, when it aborts
   */
  turn(signal: AbortSignal, begin: () => Promise<boolean>): Promise<boolean>
  /** No looks for this long. */
  pause(delayMs: number): void
  readonly isPaused: boolean
}

export function createPacer(clock: Clock): Pacer {
  const rate = createRateLimit(REQUESTS_PER_SECOND)
  let pausedUntil = Number.NEGATIVE_INFINITY
  let last: Promise<unknown> = Promise.resolve()

  async function take(signal: AbortSignal, begin: () => Promise<boolean>): Promise<boolean> {
    signal.throwIfAborted()
    const waitMs = rate.nextAt() - clock.now()
    if (waitMs > 0) await sleep(clock, waitMs, signal)
    if (!(await begin())) return false
    rate.take(clock.now())
    return true
  }

  return {
    turn: (signal, begin) => {
      const turn = last.then(() => take(signal, begin))
      last = turn.catch(() => {})
      return turn
    },
    pause: (delayMs) => {
      pausedUntil = Math.max(pausedUntil, clock.now() + delayMs)
    },
    get isPaused() {
      return clock.now() < pausedUntil
    },
  }
}
