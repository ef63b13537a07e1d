import type { Activity } from './activity.ts'
import { createVirtualClock } from './client-clock.ts'
import { LATEST_TIME_MS, type RunningClock } from './clock.ts'
import { EventLog } from './event-log.ts'
import { VirtualTimers } from './virtual-timers.ts'

/** A client timer longer than this counts as a time limit, not as a pause between polls. */
const LONGEST_SLEEP_MS = 20_000

/**
 * Before time jumps to a time limit of a client, that client gets this much real time: it may be loading a module or
 * writing a file, which the server cannot see.
 */
const PATIENCE_MS = 250

/**
 * Time jumps to the next timer as soon as everything waits on the clock, and is paused otherwise. So a wait of a
 * minute takes less than a millisecond, and times repeat themselves from run to run.
 */
export function createAutoClock(startTime: number, activity: Activity, eventLog = new EventLog()): RunningClock {
  const timers = new VirtualTimers(startTime)
  /** Ends of the pending calls of `advance`. */
  const advances = new Set<() => void>()
  let isJumping = false

  /** Whether the next timer is a time limit of a client rather than a sleep between two polls. */
  function isTimeLimit(): boolean {
    const { next, now } = timers
    return next !== undefined && clock.forClients.owns(next.handle) && next.dueAt - now > LONGEST_SLEEP_MS
  }

  async function jump(): Promise<void> {
    if (isJumping) return
    isJumping = true
    while (timers.size > 0) {
      await activity.quiet(() => (isTimeLimit() ? PATIENCE_MS : 0))
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

  const clock = createVirtualClock('auto', { timers, activity, eventLog, setTimer, pass })

  function close(): void {
    for (const end of advances) end()
    clock.close()
  }

  return { ...clock, canJump: () => timers.size > 0, close }
}
