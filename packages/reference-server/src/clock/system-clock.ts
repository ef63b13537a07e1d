import type { RunningClock } from './clock.ts'
import { PlatformTimer } from './platform-timers.ts'
import { dueTime } from './virtual-timers.ts'

/**
 * Real time from `startTime` on, or a multiple of it. Timers and `Date` are looked up at each call, so a test runner's
 * fake timers work.
 */
export function createSystemClock(startTime: number, scale = 1): RunningClock {
  const elapsed = createStopwatch()
  let start = startTime
  // Platform timers may fire a little early. A timer that fired is proof that its time has come.
  let provenMs = 0
  const pending = new Set<unknown>()
  let isClosed = false

  const passedMs = () => Math.max(provenMs, Math.floor(elapsed() * scale))
  const now = () => start + passedMs()

  function setTimer(callback: () => void, ms: number): PlatformTimer | undefined {
    const setAt = now()
    const dueAt = dueTime(setAt, ms)
    if (dueAt === undefined) return undefined
    const dueMs = dueAt - start // of the time that has passed: the time may be set meanwhile
    return new PlatformTimer(
      () => {
        provenMs = Math.max(provenMs, dueMs)
        callback()
      },
      (dueAt - setAt) / scale,
    )
  }

  function clearTimer(handle: unknown): void {
    if (handle instanceof PlatformTimer) handle.stop()
    pending.delete(handle)
  }

  const forClients = {
    mode: scale === 1 ? 'system' : 'scaled',
    now,
    setTimeout: setTimer,
    clearTimeout: clearTimer,
    advance: async () => {
      throw new Error(
        "Time passes by itself here, so it cannot be advanced. Create the server with clock: 'manual' or 'auto'.",
      )
    },
  } as const

  return {
    ...forClients,
    forClients,
    scale,
    setTimeout: (callback, ms) => {
      if (isClosed) return undefined
      const timer = setTimer(() => {
        pending.delete(timer)
        callback()
      }, ms)
      pending.add(timer)
      return timer
    },
    // What clients wait for is theirs, and still happens.
    close: () => {
      isClosed = true
      for (const timer of pending) clearTimer(timer)
    },
    setTime: (time) => {
      start = time - passedMs()
    },
  }
}

/**
 * Measures milliseconds of real time, which never go back. They go by `Date`, as a test that fakes it expects. Where that
 * was set back (by the network, a virtual machine that continues, a test), they continue at the rate of `performance`.
 */
function createStopwatch(): () => number {
  const read = () => ({ date: Date.now(), steady: performance.now(), source: performance.now })
  let last = read()
  let elapsedMs = 0
  return () => {
    const now = read()
    // Fake timers that come or go bring another one, whose numbers do not follow on.
    const steadyMs = now.source === last.source ? Math.max(0, now.steady - last.steady) : 0
    elapsedMs += now.date < last.date ? steadyMs : now.date - last.date
    last = now
    return elapsedMs
  }
}
