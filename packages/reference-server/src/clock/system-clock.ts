import type { RunningClock } from './clock.ts'
import { createPlatformTimers, type PlatformTimers } from './platform-timers.ts'

/**
 * Real time from `startTime` on, or a multiple of it. Timers and `Date` are looked up at each call, so a test runner's
 * fake timers work.
 */
export function createSystemClock(startTime: number, startScale = 1): RunningClock {
  const elapsed = createStopwatch()
  let scale = startScale
  let start = { time: startTime, elapsed: elapsed() }
  // Platform timers may fire a little early. A timer that fired is proof that its time has come.
  let provenTime = startTime

  const now = () => Math.max(provenTime, Math.floor(start.time + (elapsed() - start.elapsed) * scale))

  function startFrom(time: number): void {
    start = { time, elapsed: elapsed() }
    provenTime = time
  }

  const onDue = (dueAt: number) => {
    provenTime = Math.max(provenTime, dueAt)
  }
  const own = createPlatformTimers({ now, scale: () => scale, onDue })
  // Closing the server takes back its own timers: what its clients wait for is theirs.
  const forClients = createPlatformTimers({ now, scale: () => scale, onDue })
  const all = [own, forClients]

  const time = {
    mode: startScale === 1 ? 'system' : 'scaled',
    now,
    advance: async () => {
      throw new Error(
        "Time passes by itself here, so it cannot be advanced. Create the server with clock: 'manual' or 'auto'.",
      )
    },
  } as const

  return {
    ...time,
    ...own.clock,
    close: own.close,
    setTime: (newTime) => {
      for (const timers of all) timers.shift(newTime - now())
      startFrom(newTime)
    },
    forClients: { ...time, ...forClients.clock },
    speed: {
      scale: () => scale,
      setScale: (newScale) => {
        startFrom(now())
        scale = newScale
        for (const timers of all) timers.rearm()
      },
      moveTo: (newTime) => {
        startFrom(Math.max(now(), newTime))
        for (const timers of all) timers.rearm()
      },
      fireNext: (limit) => fireFirst(all, limit),
    },
  }
}

function fireFirst(all: readonly PlatformTimers[], limit: number): boolean {
  const [first] = all.toSorted((one, other) => one.nextDueAt() - other.nextDueAt())
  return first?.fireNext(limit) === true
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
