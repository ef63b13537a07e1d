import type { Activity } from './activity.ts'
import { createVirtualClock } from './client-clock.ts'
import type { RunningClock } from './clock.ts'
import { EventLog } from './event-log.ts'
import { VirtualTimers } from './virtual-timers.ts'

/** Time is paused until `advance`. */
export function createManualClock(startTime: number, activity: Activity, eventLog = new EventLog()): RunningClock {
  const timers = new VirtualTimers(startTime)
  let lastAdvance = Promise.resolve()
  return createVirtualClock('manual', {
    timers,
    activity,
    eventLog,
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
