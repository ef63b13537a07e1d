import type { Activity } from './activity.ts'
import { createClientClock } from './client-clock.ts'
import type { RunningClock, ServerClock } from './clock.ts'
import { checkAdvance } from './clock.ts'
import { EventLog } from './event-log.ts'
import { VirtualTimers } from './virtual-timers.ts'

/** Time stands still until `advance`. */
export function createManualClock(startTime: number, activity: Activity, eventLog = new EventLog()): RunningClock {
  const timers = new VirtualTimers(startTime)
  let lastAdvance = Promise.resolve()

  async function move(ms: number): Promise<void> {
    const target = timers.now + ms
    await activity.quiet()
    while (timers.fireNext(target)) {
      activity.touch()
      await activity.quiet()
    }
    timers.moveTo(target)
  }

  const clock: ServerClock = {
    mode: 'manual',
    now: () => timers.now,
    setTimeout: (callback, ms) => {
      activity.touch()
      return timers.add(callback, ms)
    },
    clearTimeout: (handle) => {
      if (timers.remove(handle)) activity.touch()
    },
    // One after the other, so that two callers move time by the sum of both.
    advance: async (ms) => {
      checkAdvance(timers.now, ms)
      return eventLog.during(timers.now, () => {
        lastAdvance = lastAdvance.then(() => move(ms))
        return lastAdvance
      })
    },
  }
  const forClients = createClientClock(clock)
  const close = () => {
    timers.close()
    forClients.release()
  }
  const setTime = (time: number) => {
    forClients.shift(time - timers.now)
    timers.setTime(time)
  }
  return { ...clock, forClients, setTime, close }
}
