import type { Activity } from './activity.ts'
import { createAutoClock, type MayJump } from './auto-clock.ts'
import type { RunningClock } from './clock.ts'
import type { EventLog } from './event-log.ts'
import { createManualClock } from './manual-clock.ts'
import { createSystemClock } from './system-clock.ts'

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

/** The dependencies of a clock. */
export interface ClockParts {
  activity: Activity
  eventLog?: EventLog | undefined
  /** For an `auto` clock. */
  mayJump?: MayJump | undefined
  startTime?: number | undefined
}

export function createClock(
  setting: ClockSetting,
  { activity, eventLog, mayJump, startTime }: ClockParts,
): RunningClock {
  if (setting === 'manual') return createManualClock(startTime ?? VIRTUAL_START, activity, eventLog)
  if (setting === 'auto') return createAutoClock(startTime ?? VIRTUAL_START, { activity, eventLog, mayJump })
  return createSystemClock(startTime ?? Date.now(), setting === 'system' ? 1 : setting.scale)
}
