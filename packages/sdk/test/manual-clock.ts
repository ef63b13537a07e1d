import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../src/shared/clock.ts'

/** A clock that moves only when a test advances it. */
export interface ManualClock extends Clock {
  /** Timers that were started and have neither fired nor been stopped. */
  readonly timerCount: number
  /** Timers that were ever started. */
  readonly startedCount: number
  /** Milliseconds since it was made. */
  elapsedMs(): number
  /** Moves on by `delayMs`, fires each timer at its time, and lets what it set off run as far as it can. */
  advance(delayMs: number): Promise<void>
  /** Fires timer after timer until the work settles, and settles as it does. */
  run<T>(work: PromiseLike<T>): Promise<T>
}

interface Timer {
  dueAt: number
  callback: () => void
}

/** How often `run` lets other work run while no timer is set, before it waits for files that are loaded. */
const MAX_IDLE_TURNS = 1_000
/** How often it waits for them, before it says that the work hangs. */
const MAX_WAITS = 3_000

export function createManualClock(startAt: number = Date.UTC(2026, 0, 1)): ManualClock {
  const timers = new Set<Timer>()
  let now = startAt
  let startedCount = 0

  function fireNext(until: number): boolean {
    const next = [...timers].reduce<Timer | undefined>((a, b) => (a && a.dueAt <= b.dueAt ? a : b), undefined)
    if (next === undefined || next.dueAt > until) return false
    timers.delete(next)
    now = Math.max(now, next.dueAt)
    next.callback()
    return true
  }

  return {
    now: () => now,
    elapsedMs: () => now - startAt,
    setTimeout: (callback, delayMs) => {
      const timer = { dueAt: now + delayMs, callback }
      timers.add(timer)
      startedCount++
      return timer
    },
    // Only `setTimeout` above makes handles.
    clearTimeout: (handle) => void timers.delete(handle as Timer),
    get timerCount() {
      return timers.size
    },
    get startedCount() {
      return startedCount
    },
    advance: async (delayMs) => {
      const endAt = now + delayMs
      await settle()
      while (fireNext(endAt)) await settle()
      now = endAt
    },
    run: async (work) => {
      let isSettled = false
      const done = () => {
        isSettled = true
      }
      work.then(done, done)
      let idleTurns = 0
      for (await settle(); !isSettled; await settle()) {
        idleTurns = fireNext(Number.POSITIVE_INFINITY) ? 0 : idleTurns + 1
        if (idleTurns > MAX_IDLE_TURNS) await sleep(10)
        if (idleTurns > MAX_IDLE_TURNS + MAX_WAITS)
          throw new Error('The work waits for something, and no timer is set.')
      }
      return await work
    },
  }
}

/** Lets every promise reaction run that is due, and one round of the event loop. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
}
