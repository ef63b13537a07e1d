import { describe, expect, test } from 'vitest'
import { resolveOptions } from '../../options.ts'
import { API_KEY, BASE_URL } from '../../testing/test-client.ts'
import { createUsualDurations } from './expected-durations.ts'
import type { JobWatch, Watcher } from './job-watch.ts'
import { createNextDelay } from './next-delay.ts'

const JOB = { jobId: 'job_1', modelId: 'aurora-image', submittedAt: 1_000 }

/** One who waits, of whom the next delay knows nothing but these. */
const waiter = (of: { isWatching?: boolean; hasWebhook?: boolean } = {}) =>
  ({ isWatching: false, hasWebhook: false, ...of }) as Watcher

/** The delay after a look at a job of 10 s. */
function delayOf(
  watch: Partial<JobWatch>,
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
  const durations = createUsualDurations()
  durations.learn(JOB.modelId, 40_000, 40_000)
  const sample = { job: JOB, state: undefined, watchers: [waiter()], bornAt: 1_000, lookedAt: 11_000, polls: 3 }
  // The rest of a watch does not matter here.
  const delayMs = createNextDelay(options, durations)({ ...sample, ...watch } as JobWatch)
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

  test('goes by what is usual for the model of a job that this client submitted', () => {
    expect(delayOf({}).delayMs).toBe(22_000)
  })

  test.each([
    ['another model', UNKNOWN_MODEL],
    ['a job that another process submitted', { job: { jobId: 'job_1', modelId: 'aurora-image' } }],
    ['a job of which only the id is known', { job: { jobId: 'job_1', submittedAt: 1_000 } }],
  ])('does not for %s', (_, watch) => {
    expect(delayOf(watch).delayMs).toBe(2_600)
  })

  test('is short when one of those who wait wants each state', () => {
    expect(delayOf({ watchers: [waiter(), waiter({ isWatching: true })] }).delayMs).toBe(2_600)
  })

  test('is that of a safety net only when all who wait have a webhook', () => {
    const withWebhook = waiter({ hasWebhook: true })
    expect(delayOf({ watchers: [withWebhook, withWebhook] }).delayMs).toBe(15_000)
    expect(delayOf({ watchers: [withWebhook, waiter()] }).delayMs).toBe(22_000)
  })
})

describe('a cadence of the caller', () => {
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
      'modelrun: polling.nextDelayMs failed for the job job_1; the default is used: RangeError: no',
    ])
  })
})
