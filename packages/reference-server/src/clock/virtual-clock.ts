import { type Activity, RECEIVER_GRACE_MS } from './activity.ts'
import { checkAdvance, LATEST_TIME_MS, type RunningClock, type ServerClock } from './clock.ts'
import { PlatformTimer } from './platform-timers.ts'
import { type Timer, VirtualTimers } from './virtual-timers.ts'

interface ClientClock extends ServerClock {
  /** Whether a client set the timer. */
  owns(handle: unknown): boolean
  /** The server has closed, and its time is paused. Of its timers those of clients fire now; later ones run in real time. */
  release(timers: readonly Timer[]): void
}

function createClientClock(clock: ServerClock): ClientClock {
  const pending = new Set<unknown>()
  let isReleased = false

  function setVirtualTimer(callback: () => void, ms: number): unknown {
    const handle = clock.setTimeout(() => {
      pending.delete(handle)
      callback()
    }, ms)
    if (handle !== undefined) pending.add(handle)
    return handle
  }

  return {
    ...clock,
    setTimeout: (callback, ms) => (isReleased ? new PlatformTimer(callback, ms) : setVirtualTimer(callback, ms)),
    clearTimeout: (handle) => {
      if (handle instanceof PlatformTimer) return handle.stop()
      pending.delete(handle)
      clock.clearTimeout(handle)
    },
    owns: (handle) => pending.has(handle),
    release: (timers) => {
      isReleased = true
      // One that fired may have taken back another.
      for (const { order, callback } of timers) if (pending.has(order)) callback()
    },
  }
}

interface VirtualClockParts {
  timers: VirtualTimers
  activity: Activity
  setTimer(callback: () => void, ms: number): unknown
  pass(ms: number): Promise<void>
}

/** A clock whose time does not pass by itself. */
export function createVirtualClock(mode: 'manual' | 'auto', { timers, activity, setTimer, pass }: VirtualClockParts) {
  const clock: ServerClock = {
    mode,
    now: () => timers.now,
    setTimeout: setTimer,
    clearTimeout: (handle) => {
      if (timers.remove(handle)) activity.touch()
    },
    advance: async (ms) => {
      checkAdvance(timers.now, ms)
      await pass(ms)
    },
  }
  const forClients = createClientClock(clock)
  return {
    ...clock,
    forClients,
    setTime: (time: number) => timers.setTime(time),
    close: () => forClients.release(timers.close()),
  }
}

/** A client timer longer than this counts as a time limit, not as a pause between polls. */
const LONGEST_SLEEP_MS = 20_000

/**
 * Before time jumps to a time limit of a client, that client gets this much real time: it may be loading a module or
 * writing a file, which the server cannot see.
 */
const PATIENCE_MS = 250

/** A time limit longer than this is that of work of the app, such as the handler of an inbox. It has as long as a receiver. */
const LONGEST_WAIT_MS = 600_000

/**
 * Time jumps to the next timer as soon as everything waits on the clock, and is paused otherwise. So a wait of a
 * minute takes less than a millisecond, and times repeat themselves from run to run.
 */
export function createAutoClock(startTime: number, activity: Activity): RunningClock {
  const timers = new VirtualTimers(startTime)
  /** Ends of the pending calls of `advance`. */
  const advances = new Set<() => void>()
  let isJumping = false

  /** The real time before the next timer. None unless it is a time limit of a client rather than a sleep between two polls. */
  function patienceMs(): number {
    const { next, now } = timers
    if (next === undefined || !clock.forClients.owns(next.order) || next.at - now <= LONGEST_SLEEP_MS) return 0
    return next.at - now > LONGEST_WAIT_MS ? RECEIVER_GRACE_MS : PATIENCE_MS
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

  const clock = createVirtualClock('auto', { timers, activity, setTimer, pass })

  function close(): void {
    for (const end of advances) end()
    clock.close()
  }

  return { ...clock, canJump: () => timers.size > 0, close }
}
