import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PollAge, pollDelayMs } from './durations.ts'

const limits = { initialIntervalMs: 500, maxIntervalMs: 5_000 }

const delay = (ageMs: number, more: Partial<PollAge> = {}) => pollDelayMs({ ageMs, ...more }, limits)

describe('the interval for a job of unknown duration', () => {
  test.each([
    [0, 500],
    [-3_600_000, 500],
    [1_000, 600],
    [3_000, 1_800],
    [4_000, 2_400],
    [48_000, 2_400],
    [60_000, 3_000],
    [100_000, 5_000],
    [3_600_000, 5_000],
  ])('polls a job of %i ms again after %i ms', (ageMs, delayMs) => {
    expect(delay(ageMs)).toBe(delayMs)
  })

  test('takes its maximum also where the initial interval is larger', () => {
    expect(pollDelayMs({ ageMs: 0 }, { initialIntervalMs: 9_000, maxIntervalMs: 1_000 })).toBe(1_000)
  })

  test('never polls an older job sooner, and stays above 0 and within the maximum', () => {
    const age = fc.nat({ max: 1e9 })
    fc.assert(
      fc.property(age, age, (a, b) => {
        const [young, old] = [delay(Math.min(a, b)), delay(Math.max(a, b))]
        return young > 0 && young <= old && old <= 5_000
      }),
    )
  })
})

describe('the interval for a job whose model is known', () => {
  const expected = { earliestMs: 36_000, latestMs: 44_000 }
  const FIRST_MS = (2 * 8_000) / 21

  test.each([
    ['waits until some of the expected ends are over', 0, 36_000 + FIRST_MS],
    ['does so from where it is', 20_000, 16_000 + FIRST_MS],
    ['polls often among the expected ends', 36_000, FIRST_MS],
    ['polls more often the fewer of them are left', 43_000, 257.8],
    ['polls less often the later it is', 46_000, 250 + 600],
    ['is that of an unknown job in the end', 70_000, 70_000 / 20],
  ])('%s', (_, ageMs, delayMs) => {
    expect(delay(ageMs, { expected })).toBeCloseTo(delayMs, 0)
  })

  test('polls a watched job all the same', () => {
    expect(delay(0, { expected, isWatched: true })).toBe(500)
  })

  test('polls a slow job once a minute, since it may fail early', () => {
    expect(delay(0, { expected: { earliestMs: 600_000, latestMs: 700_000 } })).toBe(60_000)
  })

  test('polls no sooner than after half of the initial interval', () => {
    expect(delay(40_000, { expected: { earliestMs: 39_999, latestMs: 40_001 } })).toBe(250)
  })

  test('always gives a time above 0 and of a minute at most', () => {
    const ms = fc.nat({ max: 1e7 })
    fc.assert(
      fc.property(ms, ms, ms, (ageMs, earliestMs, spanMs) => {
        const delayMs = delay(ageMs, { expected: { earliestMs, latestMs: earliestMs + spanMs } })
        return delayMs > 0 && delayMs <= 60_000
      }),
    )
  })
})

test.each([
  [0, 15_000],
  [60_000, 30_000],
  [600_000, 60_000],
])('while a webhook is awaited, a job of %i ms is polled after %i ms', (ageMs, delayMs) => {
  expect(delay(ageMs, { hasWebhook: true })).toBe(delayMs)
})
