import type { Activity } from './activity.ts'
import { checkAdvance } from './check-advance.ts'
import { Chronicle } from './chronicle.ts'
import { createClientClock } from './client-clock.ts'
import { LATEST_TIME_MS, type RunningClock, type ServerClock } from './clock.ts'
import { VirtualTimers } from './virtual-timers.ts'

/** A client's timer that is due later than this is rather a time limit than a sleep between two polls. */
const LONGEST_SLEEP_MS = 20_000

/**
 * Before time jumps to a time limit of a client, that client gets this much real time: it may be loading a module or
 * writing a file, which nobody here can see.
 */
const PATIENCE_MS = 250

/**
 * Time jumps to the next timer as soon as everything waits on the clock, and stands still otherwise. So a wait of a
 * minute takes less than a millisecond, and times repeat themselves from run to run.
 */
export function createAutoClock(startTime: number, activity: Activity, chronicle = new Chronicle()): RunningClock {
  const timers = new VirtualTimers(startTime)
  /** Ends of the calls of `advance` going on. */
  const advances = new Set<() => void>()
  let isJumping = false

  function patienceMs(): number {
    const { next, now } = timers
    const isTimeLimit = next !== undefined && forClients.owns(next.handle) && next.dueAt - now > LONGEST_SLEEP_MS
    return isTimeLimit ? PATIENCE_MS : 0
  }

  async function jump(): Promise<void> {
    if (isJumping) return
    isJumping = true
    while (timers.size > 0) {
      await activity.quiet(patienceMs)
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

  function pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        advances.delete(end)
        resolve()
      }
      advances.add(end)
      // No handle: the clock is closed, and no timer fires any more.
      if (setTimer(end, ms) === undefined) end()
    })
  }

  const clock: ServerClock = {
    mode: 'auto',
    now: () => timers.now,
    setTimeout: setTimer,
    clearTimeout: (handle) => {
      if (timers.remove(handle)) activity.touch()
    },
    advance: async (ms) => {
      checkAdvance(timers.now, ms)
      return chronicle.during(timers.now, () => pass(ms))
    },
  }

  const forClients = createClientClock(clock)

  function close(): void {
    timers.close()
    for (const end of advances) end()
    forClients.release()
  }

  return { ...clock, forClients, close }
}
