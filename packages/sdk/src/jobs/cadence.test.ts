import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextPollDelayMs } from './cadence.ts'

const cadence = { initialIntervalMs: 500, maxIntervalMs: 5_000 }

const delay = (ageMs: number, random = 0.5) => nextPollDelayMs(ageMs, cadence, () => random)

test.each([
  [0, 500],
  [2_500, 500],
  [5_000, 1_000],
  [25_000, 5_000],
  [3_600_000, 5_000],
])('a job of %i ms is looked at again after %i ms', (ageMs, delayMs) => {
  expect(delay(ageMs)).toBe(delayMs)
})

test('the delay jitters by a tenth to either side, so that jobs of one moment do not stay in step', () => {
  expect([delay(0, 0), delay(0, 1)]).toEqual([450, 550])
})

test('the maximum wins over a larger initial interval', () => {
  expect(nextPollDelayMs(0, { initialIntervalMs: 9_000, maxIntervalMs: 1_000 }, () => 0.5)).toBe(1_000)
})

test('the delay never shrinks with the age, and stays above 0 and within the maximum', () => {
  const age = fc.nat({ max: 1e9 })
  fc.assert(
    fc.property(age, age, (a, b) => {
      const [young, old] = [delay(Math.min(a, b)), delay(Math.max(a, b))]
      return young > 0 && young <= old && old <= 5_000
    }),
  )
})
