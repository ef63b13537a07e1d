import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createSystemClock } from './system-clock.ts'

const START = Date.UTC(2030, 4, 1)
const DAY_MS = 86_400_000

beforeEach(() => {
  vi.useFakeTimers()
})

describe('system clock', () => {
  it.each([1, 60])(
    'never goes back, and continues at once, when the clock of the machine is set back (scale %d)',
    (scale) => {
      const clock = createSystemClock(START, scale)
      const times: number[] = []
      const pass = () => {
        vi.advanceTimersByTime(1_000)
        times.push(clock.now() - START)
      }
      pass()
      vi.setSystemTime(Date.now() - 3_600_000)
      times.push(clock.now() - START)
      pass()
      vi.setSystemTime(Date.now() - DAY_MS)
      pass()
      expect(times).toEqual([1_000, 1_000, 2_000, 3_000].map((ms) => ms * scale))
      expect(clock.forClients.now()).toBe(clock.now())
    },
  )

  it('does not leap when fake timers go that were ahead of the real time', () => {
    vi.setSystemTime(Date.now() + DAY_MS)
    const clock = createSystemClock(START)
    vi.advanceTimersByTime(1)
    expect(clock.now()).toBe(START + 1)
    vi.useRealTimers()
    expect(clock.now()).toBe(START + 1)
  })

  it.each([START - DAY_MS, START + DAY_MS])('can be set, to %d, and moves on from there', (time) => {
    const clock = createSystemClock(START)
    const fired = vi.fn()
    clock.setTimeout(fired, 1_500)
    vi.advanceTimersByTime(500)
    clock.setTime(time)
    expect(clock.now()).toBe(time)
    clock.setTimeout(fired, 1_000)
    vi.advanceTimersByTime(999)
    expect(fired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(fired).toHaveBeenCalledTimes(2)
    expect(clock.forClients.now()).toBe(time + 1_000)
  })

  it('uses the timers that a test runner installs after it was made', () => {
    vi.useRealTimers()
    const clock = createSystemClock(Date.now())
    vi.useFakeTimers()
    const fired = vi.fn()
    clock.setTimeout(fired, 55_000)
    vi.advanceTimersByTime(54_999)
    expect(fired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(fired).toHaveBeenCalledOnce()
  })

  it('waits longer than the platform can, and can still take the timer back', () => {
    const clock = createSystemClock(START)
    const fired = vi.fn()
    const taken = vi.fn()
    clock.setTimeout(fired, 60 * DAY_MS)
    const handle = clock.setTimeout(taken, 60 * DAY_MS)
    vi.advanceTimersByTime(30 * DAY_MS)
    clock.clearTimeout(handle)
    vi.advanceTimersByTime(30 * DAY_MS - 1)
    expect(fired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(fired).toHaveBeenCalledOnce()
    expect(taken).not.toHaveBeenCalled()
  })

  it('has reached the time of a timer that fires, although the platform fires early', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }) // `Date` stands almost still
    const clock = createSystemClock(START)
    let firedAt = 0
    clock.setTimeout(() => {
      firedAt = clock.now()
    }, 60_000)
    vi.advanceTimersByTime(60_000)
    expect(firedAt).toBeGreaterThanOrEqual(START + 60_000)
  })

  it('passes n times as fast with a scale', () => {
    const clock = createSystemClock(START, 60)
    expect(clock.mode).toBe('scaled')
    const fired = vi.fn()
    clock.setTimeout(fired, 55_000)
    vi.advanceTimersByTime(915)
    expect(fired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(2)
    expect(fired).toHaveBeenCalledOnce()
    expect(clock.now()).toBeGreaterThanOrEqual(START + 55_000)
  })

  it('cannot be advanced, and says what to do', async () => {
    await expect(createSystemClock(START).advance(1)).rejects.toThrow("clock: 'manual' or 'auto'")
  })
})
