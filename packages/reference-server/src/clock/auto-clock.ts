import type { Activity } from './activity.ts'
import { checkAdvance } from './check-advance.ts'
import { LATEST_TIME_MS, type RunningClock } from './clock.ts'
import { VirtualTimers } from './virtual-timers.ts'

/**
 * Time jumps to the next timer as soon as everything waits on the clock, and stands still otherwise. So a wait of a
 * minute takes less than a millisecond, and times repeat themselves from run to run.
 */
export function createAutoClock(startTime: number, activity: Activity): RunningClock {
  const timers = new VirtualTimers(startTime)
  let isJumping = false

  async function jump(): Promise<void> {
    if (isJumping) return
    isJumping = true
    while (timers.size > 0) {
      await activity.quiet()
      timers.fireNext(LATEST_TIME_MS)
      activity.touch()
    }
    isJumping = false
  }

  function setTimer(callback: () => void, ms: number): unknown {
    const handle = timers.add(callback, ms)
    activity.touch()
    void jump()
    return handle
  }

  return {
    mode: 'auto',
    now: () => timers.now,
    setTimeout: setTimer,
    clearTimeout: (handle) => {
      if (timers.remove(handle)) activity.touch()
    },
    advance: async (ms) => {
      checkAdvance(timers.now, ms)
      await new Promise<void>((resolve) => setTimer(resolve, ms))
    },
    close: () => timers.close(),
  }
}
