import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from 'modelrun'

/** A clock that jumps from timer to timer: a wait of 40 s takes as long as its computation. */
export interface VirtualClock extends Clock {
  /** Fires timer after timer until the work settles, or until the next one is due after `until`. */
  run(work: Promise<unknown>, until?: number): Promise<void>
  /** Puts the clock in the place of this process's own timers, for clients that take no clock. */
  install(): void
}

interface Timer {
  dueAt: number
  callback: () => void
}

/** How many turns of the event loop may pass without a timer before the work counts as stuck. */
const MOST_IDLE_TURNS = 1_000
/** Turns of the event loop that what a timer set off may take: reading the body of a response takes some. */
const TURNS = 3

export function createVirtualClock(): VirtualClock {
  /** Timers that are due at the same time share an entry: ten thousand waits in step are quick to search. */
  const timers = new Map<number, Set<Timer>>()
  let now = 0

  function start(callback: () => void, delayMs: number): Timer {
    const timer = { dueAt: now + Math.max(0, delayMs), callback }
    const together = timers.get(timer.dueAt) ?? new Set()
    timers.set(timer.dueAt, together.add(timer))
    return timer
  }

  function stop(timer: Timer): void {
    const together = timers.get(timer.dueAt)
    together?.delete(timer)
    if (together?.size === 0) timers.delete(timer.dueAt)
  }

  /** Fires all that is due next; false when there is nothing. */
  function fireNext(until: number): boolean {
    const dueAt = Math.min(...timers.keys())
    if (dueAt > until || dueAt === Number.POSITIVE_INFINITY) return false
    now = dueAt
    for (const timer of timers.get(dueAt) ?? []) {
      stop(timer)
      timer.callback()
    }
    return true
  }

  return {
    now: () => now,
    setTimeout: start,
    // Only `start` makes handles; what is none was never started.
    clearTimeout: (handle) => handle && stop(handle as Timer),
    run: async (work, until = Number.POSITIVE_INFINITY) => {
      let isSettled = false
      const settle = () => {
        isSettled = true
      }
      work.then(settle, settle)
      for (let idleTurns = 0; idleTurns < MOST_IDLE_TURNS; idleTurns++) {
        for (let turn = 0; turn < TURNS; turn++) await nextTurn()
        if (isSettled) return
        if (fireNext(until)) idleTurns = 0
      }
      if (until === Number.POSITIVE_INFINITY) throw new Error('The work waits for something, and no timer is set.')
      now = until
    },
    install: () => {
      const install = (callback: (...values: unknown[]) => void, delayMs = 0, ...values: unknown[]) =>
        start(() => callback(...values), delayMs)
      Object.assign(globalThis, { setTimeout: install, clearTimeout: (timer?: Timer) => timer && stop(timer) })
      Date.now = () => now
    },
  }
}
