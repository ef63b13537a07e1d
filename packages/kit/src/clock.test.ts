import { expect, test } from 'vitest'
import { type Clock, jitter, startLimit } from './clock.ts'

test.each([-1, 2, Number.NaN, 'an error'])('a delay stays within its bounds when `random` gives %s', (value) => {
  const random = () => {
    if (typeof value === 'string') throw new Error(value)
    return value
  }
  expect([100, 200]).toContain(jitter(100, [1, 2], random))
})

test.each([
  [100, true],
  [1_099, true],
  [1_100, false],
  [60_000, false],
])(
  'a limit of 100 ms whose timer fires after %i ms ends at once: %j; else what came is read first',
  (firedAt, atOnce) => {
    let now = 0
    const timers: [callback: () => void, delayMs: number][] = []
    const clock: Clock = {
      now: () => now,
      setTimeout: (...timer) => timers.push(timer),
      clearTimeout: () => {},
    }
    let ended = false
    startLimit(clock, 100, () => {
      ended = true
    })
    now = firedAt
    timers[0]?.[0]()
    expect([ended, timers.map(([, delayMs]) => delayMs)]).toEqual([atOnce, atOnce ? [100] : [100, 1_000]])
    timers.at(-1)?.[0]()
    expect(ended).toBe(true)
  },
)
