import type { Activity } from './activity.ts'
import type { RunningClock } from './clock.ts'
import { createSystemClock } from './system-clock.ts'
import { createAutoClock, createVirtualClock } from './virtual-clock.ts'
import { VirtualTimers } from './virtual-timers.ts'

/**
 * How the server's time passes:
 * - `system`: real time (default)
 * - `{ scale: n }`: n times as fast, at most a million
 * - `manual`: only by `clock.advance(ms)`
 * - `auto`: jumps ahead whenever everything waits on the clock
 */
export type ClockSetting = 'system' | 'manual' | 'auto' | { scale: number }

/** Above this factor, a server would pass the last moment that a `Date` can hold within days. */
export const LARGEST_SCALE = 1_000_000

/** Default start of a virtual time. It is fixed, so that each test run sees the same times. */
const VIRTUAL_START = Date.UTC(2026, 0, 1)

export function createClock(
  setting: ClockSetting,
  { activity, startTime }: { activity: Activity; startTime?: number | undefined },
): RunningClock {
  if (setting === 'manual') return createManualClock(startTime ?? VIRTUAL_START, activity)
  if (setting === 'auto') return createAutoClock(startTime ?? VIRTUAL_START, activity)
  return createSystemClock(startTime ?? Date.now(), setting === 'system' ? 1 : setting.scale)
}

/** Time is paused until `advance`. */
export function createManualClock(startTime: number, activity: Activity): RunningClock {
  const timers = new VirtualTimers(startTime)
  let lastAdvance = Promise.resolve()
  return createVirtualClock('manual', {
    timers,
    activity,
    setTimer: (callback, ms) => {
      activity.touch()
      return timers.add(callback, ms)
    },
    // One after the other, so that two callers move time by the sum of both.
    pass: (ms) => {
      lastAdvance = lastAdvance.then(() => activity.settleUntil(timers.now + ms, timers))
      return lastAdvance
    },
  })
}
