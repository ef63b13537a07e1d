import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRateLimit } from './poll-limiter.ts'

/** The starts of a caller that always wants to start, and sometimes comes late. */
function startsAt(perSecond: number, delays: readonly number[]): number[] {
  const limit = createRateLimit(perSecond)
  let now = 0
  return delays.map((delayMs) => {
    now = Math.max(now + delayMs, limit.nextAt())
    limit.take(now)
    return now
  })
}

test('never lets more starts into any second than the rate', () => {
  const delays = fc.array(fc.constantFrom(0, 0, 0, 1, 99, 500, 1_500), { maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), delays, (perSecond, pauses) => {
      const starts = startsAt(perSecond, pauses)
      return starts.every((from) => starts.filter((at) => at >= from && at < from + 1_000).length <= perSecond)
    }),
  )
})

test('uses the rate fully', () => {
  expect(startsAt(2, [0, 0, 0, 0, 0])).toEqual([0, 0, 1_000, 1_000, 2_000])
})

test('takes a rate below one start a second', () => {
  expect(startsAt(0.25, [0, 0, 0])).toEqual([0, 4_000, 8_000])
})

test('delays no start when there is no limit', () => {
  expect(startsAt(Number.POSITIVE_INFINITY, [0, 0, 0])).toEqual([0, 0, 0])
})
