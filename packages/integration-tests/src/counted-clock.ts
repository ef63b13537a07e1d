import { systemClock } from '@modelrun/kit'
import type { Clock } from 'modelrun'

/** A clock that knows which timers of it are pending, and how many were set. */
export function createCountedClock(base: Clock = systemClock) {
  const timers = new Set<unknown>()
  let count = 0
  const clock: Clock = {
    now: () => base.now(),
    setTimeout: (callback, delayMs) => {
      count += 1
      const timer = base.setTimeout(() => {
        timers.delete(timer)
        callback()
      }, delayMs)
      timers.add(timer)
      return timer
    },
    clearTimeout: (timer) => {
      timers.delete(timer)
      base.clearTimeout(timer)
    },
  }
  return { clock, pending: () => timers.size, count: () => count }
}
