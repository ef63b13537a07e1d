import type { Clock } from '../../../clock.ts'

/** Time that passes only when it is told to. */
export interface VirtualTime extends Clock {
  /** Fires what falls due, in order. What that sets off comes later. */
  advance(delayMs: number): void
}

interface Timer {
  dueAt: number
  callback: () => void
}

export function createVirtualTime(): VirtualTime {
  const timers = new Set<Timer>()
  let now = Date.UTC(2026, 0, 1)
  return {
    now: () => now,
    setTimeout: (callback, delayMs) => {
      const timer = { dueAt: now + delayMs, callback }
      timers.add(timer)
      return timer
    },
    // Only `setTimeout` above makes handles.
    clearTimeout: (handle) => void timers.delete(handle as Timer),
    advance: (delayMs) => {
      const endsAt = now + delayMs
      const due = [...timers].filter(({ dueAt }) => dueAt <= endsAt).sort((a, b) => a.dueAt - b.dueAt)
      for (const timer of due) {
        now = Math.max(now, timer.dueAt)
        // One that fired may have stopped another.
        if (timers.delete(timer)) timer.callback()
      }
      now = endsAt
    },
  }
}
