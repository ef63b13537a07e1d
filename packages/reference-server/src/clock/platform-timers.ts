import { dueTime } from './virtual-timers.ts'

/** The longest time that timers of the platform take; more fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

interface Timer {
  dueAt: number
  readonly callback: () => void
  platform: ReturnType<typeof globalThis.setTimeout> | undefined
}

/** What the timers go by. */
interface TimerParts {
  now: () => number
  /** How many times as fast as real time; 0 while time is paused. */
  scale: () => number
  /** A timer fires: its time has come. */
  onDue: (dueAt: number) => void
}

/** Timers of a clock whose speed may change, each on a timer of the platform. */
export type PlatformTimers = ReturnType<typeof createPlatformTimers>

export function createPlatformTimers({ now, scale, onDue }: TimerParts) {
  const timers = new Map<number, Timer>()
  let lastHandle = 0
  let isClosed = false

  function fire(handle: number, timer: Timer): void {
    timers.delete(handle)
    globalThis.clearTimeout(timer.platform)
    onDue(timer.dueAt)
    timer.callback()
  }

  function arm(handle: number, timer: Timer, realMs: number): void {
    const stepMs = Math.min(realMs, LONGEST_TIMER_MS)
    const next = () => (realMs > stepMs ? arm(handle, timer, realMs - stepMs) : fire(handle, timer))
    timer.platform = globalThis.setTimeout(next, stepMs)
  }

  function start(handle: number, timer: Timer): void {
    if (scale() > 0) arm(handle, timer, Math.max(0, timer.dueAt - now()) / scale())
  }

  function first(): [handle: number, timer: Timer] | undefined {
    let found: [number, Timer] | undefined
    for (const entry of timers) if (!found || entry[1].dueAt < found[1].dueAt) found = entry
    return found
  }

  function stopAll(): void {
    for (const { platform } of timers.values()) globalThis.clearTimeout(platform)
  }

  return {
    clock: {
      setTimeout: (callback: () => void, ms: number) => {
        const dueAt = dueTime(now(), ms)
        if (dueAt === undefined || isClosed) return undefined
        const timer: Timer = { dueAt, callback, platform: undefined }
        timers.set(++lastHandle, timer)
        start(lastHandle, timer)
        return lastHandle
      },
      clearTimeout: (handle: unknown) => {
        globalThis.clearTimeout(timers.get(handle as number)?.platform)
        timers.delete(handle as number)
      },
    },
    /** When the first timer is due; `Infinity` without one. */
    nextDueAt: () => first()?.[1].dueAt ?? Number.POSITIVE_INFINITY,
    /** Fires the first timer, if it is due until `limit`. Returns whether one was. */
    fireNext: (limit: number) => {
      const [handle, timer] = first() ?? []
      if (handle === undefined || timer === undefined || timer.dueAt > limit) return false
      fire(handle, timer)
      return true
    },
    /** Moves the due time of every timer: the real time until then stays the same. */
    shift: (ms: number) => {
      for (const timer of timers.values()) timer.dueAt += ms
    },
    /** To be called when the speed has changed. */
    rearm: () => {
      stopAll()
      for (const [handle, timer] of timers) start(handle, timer)
    },
    /** Drops all timers and takes no more. */
    close: () => {
      isClosed = true
      stopAll()
      timers.clear()
    },
  }
}
