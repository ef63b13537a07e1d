import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { API_KEY, BASE_URL } from '../../../../test/test-client.ts'
import { resolveOptions } from '../../options.ts'
import { createExpectedDurations, createPollInterval, nextPollDelayMs } from './poll-interval.ts'
import type { PolledJob, Subscriber } from './polled-jobs.ts'
import type { PollContext } from './polling-options.ts'

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

describe('the interval for a job of unknown duration', () => {
  test.each([
    [0, 500],
    [1_000, 600],
    [4_000, 2_400],
    [5_000, 2_600],
    [39_000, 2_600],
    [60_000, 4_000],
    [75_000, 5_000],
    [3_600_000, 5_000],
  ])('polls a job of %i ms again after %i ms', (ageMs, delayMs) => {
    expect(delay(ageMs)).toBe(delayMs)
  })

  test('takes its maximum also where the initial interval is larger', () => {
    expect(nextPollDelayMs(context, { initialIntervalMs: 9_000, maxIntervalMs: 1_000 })).toBe(1_000)
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

  test.each([
    ['waits until the first expected end', 0, 36_000],
    ['does so from where it is', 20_000, 16_000],
    ['polls often among the expected ends', 40_000, 592],
    ['polls less often the later it is', 46_000, 592 + 600],
    ['is that of an unknown job in the end', 70_000, 70_000 / 15],
  ])('%s', (_, ageMs, delayMs) => {
    expect(delay(ageMs, { expected })).toBeCloseTo(delayMs)
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

const JOB = { jobId: 'job_1', modelId: 'aurora-image', submittedAt: 1_000 }

/** A subscriber. The interval depends on no other members of it. */
const waiter = (of: { wantsStates?: boolean; hasWebhook?: boolean } = {}) =>
  ({ wantsStates: false, hasWebhook: false, ...of }) as Subscriber

/** The delay after a poll of a job of 10 s. */
function delayOf(
  polled: Partial<PolledJob>,
  { random = 0.5, nextDelayMs }: { random?: number; nextDelayMs?: () => number } = {},
) {
  const warnings: string[] = []
  const ignore = () => {}
  const logger = { debug: ignore, info: ignore, error: ignore, warn: (line: string) => void warnings.push(line) }
  const options = resolveOptions({
    apiKey: API_KEY,
    baseUrl: BASE_URL,
    logger,
    logLevel: 'warn',
    random: () => random,
    polling: { nextDelayMs },
  })
  const durations = createExpectedDurations()
  durations.learn(JOB.modelId, 40_000, 40_000)
  const sample = { job: JOB, state: undefined, subscribers: [waiter()], bornAt: 1_000, polledAt: 11_000, polls: 3 }
  // The other members do not matter here.
  const delayMs = createPollInterval(options, durations)({ ...sample, ...polled } as PolledJob)
  return { delayMs, warnings }
}

const UNKNOWN_MODEL = { job: { ...JOB, modelId: 'northlight' } }

describe('the delay until the next poll', () => {
  test.each([
    [0, 2_340],
    [0.5, 2_600],
    [1, 2_860],
  ])('has a jitter of a tenth to either side: %d', (random, delayMs) => {
    expect(delayOf(UNKNOWN_MODEL, { random }).delayMs).toBeCloseTo(delayMs)
  })

  test('that is long has a jitter no longer than that of the longest interval', () => {
    const nextDelayMs = () => 60_000
    expect(delayOf(UNKNOWN_MODEL, { random: 1, nextDelayMs }).delayMs).toBe(60_500)
  })

  test('goes by the expected duration of the model of a job that this client submitted', () => {
    expect(delayOf({}).delayMs).toBe(22_000)
  })

  test.each([
    ['another model', UNKNOWN_MODEL],
    ['a job that another process submitted', { job: { jobId: 'job_1', modelId: 'aurora-image' } }],
    ['a job of which only the id is known', { job: { jobId: 'job_1', submittedAt: 1_000 } }],
  ])('does not for %s', (_, polled) => {
    expect(delayOf(polled).delayMs).toBe(2_600)
  })

  test('is short when one of the waits wants each state', () => {
    expect(delayOf({ subscribers: [waiter(), waiter({ wantsStates: true })] }).delayMs).toBe(2_600)
  })

  test('is that of a safety net only when all waits have a webhook', () => {
    const withWebhook = waiter({ hasWebhook: true })
    expect(delayOf({ subscribers: [withWebhook, withWebhook] }).delayMs).toBe(15_000)
    expect(delayOf({ subscribers: [withWebhook, waiter()] }).delayMs).toBe(22_000)
  })
})

describe('an interval of the caller', () => {
  test('may be 0', () => {
    expect(delayOf({}, { nextDelayMs: () => 0 })).toEqual({ delayMs: 0, warnings: [] })
  })

  test('that gives a negative number is logged', () => {
    const { delayMs, warnings } = delayOf({}, { nextDelayMs: () => -1 })
    expect(delayMs).toBe(22_000)
    expect(warnings).toEqual(['modelrun: polling.nextDelayMs gave -1 for the job job_1; the default is used'])
  })

  test('that throws is logged', () => {
    const { warnings } = delayOf(
      {},
      {
        nextDelayMs: () => {
          throw new RangeError('no')
        },
      },
    )
    expect(warnings).toEqual([
      'modelrun: polling.nextDelayMs failed (RangeError: no) for the job job_1; the default is used',
    ])
  })
})
