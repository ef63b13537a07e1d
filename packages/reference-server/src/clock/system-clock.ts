import { dueTime, type RunningClock } from './clock.ts'

/** The longest time that timers of the platform take; more fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Real time from `startTime` on, or a multiple of it. Timers and `Date` are looked up at each call, so a test runner's
 * fake timers work.
 */
export function createSystemClock(startTime: number, scale = 1): RunningClock {
  const elapsed = createStopwatch()
  let start = { time: startTime, elapsed: elapsed() }
  // Platform timers may fire a little early. A timer that fired is proof that its time has come.
  let provenTime = startTime
  /** By how much the time was set ahead so far. */
  let shiftedMs = 0

  const now = () => Math.max(provenTime, Math.floor(start.time + (elapsed() - start.elapsed) * scale))

  function setTime(time: number): void {
    shiftedMs += time - now()
    start = { time, elapsed: elapsed() }
    provenTime = time
  }

  function createTimers(): Pick<RunningClock, 'setTimeout' | 'clearTimeout' | 'close'> {
    const timers = new Map<unknown, ReturnType<typeof globalThis.setTimeout>>()
    let lastHandle = 0
    let isClosed = false

    function arm(handle: number, realMs: number, fire: () => void): void {
      const stepMs = Math.min(realMs, LONGEST_TIMER_MS)
      const next = () => (realMs > stepMs ? arm(handle, realMs - stepMs, fire) : fire())
      timers.set(handle, globalThis.setTimeout(next, stepMs))
    }

    return {
      setTimeout: (callback, ms) => {
        const setAt = now()
        const shiftedBefore = shiftedMs
        const dueAt = dueTime(setAt, ms)
        if (dueAt === undefined || isClosed) return undefined
        const handle = ++lastHandle
        arm(handle, (dueAt - setAt) / scale, () => {
          timers.delete(handle)
          provenTime = Math.max(provenTime, dueAt + shiftedMs - shiftedBefore)
          callback()
        })
        return handle
      },
      clearTimeout: (handle) => {
        globalThis.clearTimeout(timers.get(handle))
        timers.delete(handle)
      },
      close: () => {
        isClosed = true
        for (const timer of timers.values()) globalThis.clearTimeout(timer)
        timers.clear()
      },
    }
  }

  const time = {
    mode: scale === 1 ? 'system' : 'scaled',
    now,
    advance: async () => {
      throw new Error(
        "Time passes by itself here, so it cannot be advanced. Create the server with clock: 'manual' or 'auto'.",
      )
    },
  } as const
  // Closing the server takes back its own timers: what its clients wait for is theirs.
  return { ...time, ...createTimers(), setTime, forClients: { ...time, ...createTimers() } }
}

/**
 * Measures milliseconds of real time, which never go back. They go by `Date`, as a test that fakes it expects. Where that
 * was set back (by the network, a virtual machine that goes on, a test), they go on at the rate of `performance`.
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
