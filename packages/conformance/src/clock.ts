import { type Clock, sleep } from '@modelrun/kit'

/** The time that the suite waits and measures by. */
export type ConformanceClock = Clock

/** A clock that runs `scale` times as fast as real time, for a service whose own time does so. */
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

export async function sleepInSteps(clock: ConformanceClock, ms: number): Promise<void> {
  const until = clock.now() + ms
  while (clock.now() < until) await sleep(clock, Math.min(STEP_MS, until - clock.now()))
}
