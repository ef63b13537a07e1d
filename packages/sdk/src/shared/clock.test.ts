import { describe, expect, test, vi } from 'vitest'
import { createManualClock } from '../../test/manual-clock.ts'
import { startTimer, systemClock, wallNow } from './clock.ts'

describe('systemClock', () => {
  test('gives the time since the Unix epoch, and never goes back', () => {
    const first = systemClock.now()
    expect(Math.abs(first - Date.now())).toBeLessThan(60_000)
    expect(systemClock.now()).toBeGreaterThanOrEqual(first)
  })

  test('measures durations without `performance.timeOrigin`, and reports the date while the monotonic clock is paused', () => {
    const { timeOrigin } = performance
    try {
      Object.defineProperty(performance, 'timeOrigin', { value: undefined, configurable: true })
      expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000)
    } finally {
      Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin, configurable: true })
    }
    const awake = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(awake - 7_200_000)
    expect(Math.abs(wallNow(systemClock) - Date.now())).toBeLessThan(60_000)
    vi.restoreAllMocks()
    expect(wallNow({ ...systemClock, wallNow: undefined, now: () => 5 } as never)).toBe(5)
  })

  test('reads the global timers at each call, so that fake timers of test runners work', () => {
    vi.useFakeTimers()
    const fired = vi.fn()
    systemClock.setTimeout(fired, 1_000)
    systemClock.clearTimeout(systemClock.setTimeout(() => fired('stopped'), 1_000))
    vi.advanceTimersByTime(1_000)
    expect(fired.mock.calls).toEqual([[]])
  })
})

describe('startTimer', () => {
  test.each([2 ** 31, Number.POSITIVE_INFINITY, Number.NaN])(
    'never fires after %j ms, where timers overflow',
    (delayMs) => {
      const clock = createManualClock()
      const stop = startTimer(clock, delayMs, () => {})
      expect(clock.timerCount).toBe(0)
      expect(stop).not.toThrow()
    },
  )

  test('fires in the next turn for a delay that has passed', async () => {
    const clock = createManualClock()
    const fired = vi.fn()
    startTimer(clock, -5, fired)
    expect(fired).not.toHaveBeenCalled()
    await clock.advance(0)
    expect(fired).toHaveBeenCalledOnce()
  })
})
