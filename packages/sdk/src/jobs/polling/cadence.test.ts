import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextPollDelayMs, type PollContext } from './cadence.ts'

const limits = { initialIntervalMs: 500, maxIntervalMs: 5_000 }

const context: PollContext = {
  jobId: 'job_1',
  modelId: 'aurora-image',
  status: 'processing',
  ageMs: 0,
  polls: 0,
  expected: undefined,
  isWatched: false,
  hasWebhook: false,
}

const delay = (ageMs: number, more: Partial<PollContext> = {}) =>
  nextPollDelayMs({ ...context, ageMs, ...more }, limits)

describe('the cadence of a job of unknown duration', () => {
  test.each([
    [0, 500],
    [1_000, 600],
    [4_000, 2_400],
    [5_000, 2_600],
    [39_000, 2_600],
    [60_000, 4_000],
    [75_000, 5_000],
    [3_600_000, 5_000],
  ])('looks at a job of %i ms again after %i ms', (ageMs, delayMs) => {
    expect(delay(ageMs)).toBe(delayMs)
  })

  test('takes its maximum also where the initial interval is larger', () => {
    expect(nextPollDelayMs(context, { initialIntervalMs: 9_000, maxIntervalMs: 1_000 })).toBe(1_000)
  })

  test('never looks sooner at an older job, and stays above 0 and within the maximum', () => {
    const age = fc.nat({ max: 1e9 })
    fc.assert(
      fc.property(age, age, (a, b) => {
        const [young, old] = [delay(Math.min(a, b)), delay(Math.max(a, b))]
        return young > 0 && young <= old && old <= 5_000
      }),
    )
  })
})

describe('the cadence of a job whose model is known', () => {
  const expected = { earliestMs: 36_000, latestMs: 44_000 }

  test.each([
    ['lets it work until the usual ends begin', 0, 36_000],
    ['does so from where it is', 20_000, 16_000],
    ['looks closely among the usual ends', 40_000, 592],
    ['looks less closely the later it is', 46_000, 592 + 600],
    ['is that of an unknown job in the end', 70_000, 70_000 / 15],
  ])('%s', (_, ageMs, delayMs) => {
    expect(delay(ageMs, { expected })).toBeCloseTo(delayMs)
  })

  test('looks all the same at a job that somebody watches', () => {
    expect(delay(0, { expected, isWatched: true })).toBe(500)
  })

  test('looks at a slow job once a minute, since it may fail early', () => {
    expect(delay(0, { expected: { earliestMs: 600_000, latestMs: 700_000 } })).toBe(60_000)
  })

  test('looks no closer than half of the initial interval', () => {
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
])('while a webhook is awaited, a job of %i ms is looked at after %i ms', (ageMs, delayMs) => {
  expect(delay(ageMs, { hasWebhook: true })).toBe(delayMs)
})
