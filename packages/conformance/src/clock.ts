import { sleep } from '@modelrun/kit'

export { sleep }

/** The time that the suite waits and measures by. The functions need no `this`. */
export interface ConformanceClock {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /** Calls back once, after `ms` milliseconds of this clock. */
  setTimeout(callback: () => void, ms: number): unknown
  /** Withdraws a call that has not happened yet; `handle` is what `setTimeout` returned. */
  clearTimeout(handle: unknown): void
}

/**
 * A clock that runs `scale` times as fast as real time, for a service whose own time does so.
 *
 * @param scale 1 for a real service
 */
export function createClock(scale = 1): ConformanceClock {
  const startedAt = Date.now()
  return {
    now: () => startedAt + (Date.now() - startedAt) * scale,
    setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms / scale),
    // Whatever `setTimeout` above returned.
    clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
  }
}

/** Shorter than what the automatic clock of a test double takes for a time limit: to those it jumps slowly. */
const STEP_MS = 10_000

/** Sleeps for a long time. */
export async function sleepInSteps(clock: ConformanceClock, ms: number): Promise<void> {
  const until = clock.now() + ms
  while (clock.now() < until) await sleep(clock, Math.min(STEP_MS, until - clock.now()))
}
