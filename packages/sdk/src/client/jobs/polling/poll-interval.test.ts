import { createDurations } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { API_KEY, BASE_URL, recordLog } from '../../../../test/test-client.ts'
import { resolveOptions } from '../../options.ts'
import { createPollInterval, learnFrom } from './poll-interval.ts'
import type { PolledJob, Subscriber } from './polled-jobs.ts'

const JOB = { jobId: 'job_1', modelId: 'aurora-image', submittedAt: 1_000 }

/** A wait. The interval depends on no other members of it. */
const waitOf = (of: Partial<Subscriber> = {}) =>
  ({ job: JOB, wantsStates: false, hasWebhook: false, ...of }) as Subscriber

/** The delay after a poll of a job of 10 s. */
function delayOf(
  polled: Partial<PolledJob>,
  { random = 0.5, nextDelayMs }: { random?: number; nextDelayMs?: () => number } = {},
) {
  const { lines: warnings, log } = recordLog('warn')
  const client = { apiKey: API_KEY, baseUrl: BASE_URL, random: () => random, polling: { nextDelayMs } }
  const options = resolveOptions({ ...client, ...log })
  const durations = createDurations()
  durations.learn(JOB.modelId, { runningMs: 40_000, finishedMs: 40_000 })
  const sample = { wait: waitOf(), state: undefined, bornAt: 1_000, polledAt: 11_000, polls: 3 }
  // The other members do not matter here.
  const delayMs = createPollInterval(options, durations)({ ...sample, ...polled } as PolledJob)
  return { delayMs, warnings }
}

/** To 32 s, where the expected span starts, and the first of 20 intervals in it. */
const KNOWN_MS = 22_000 + (2 * 16_000) / 21

const UNKNOWN_MODEL = { wait: waitOf({ job: { ...JOB, modelId: 'northlight' } }) }

describe('the delay until the next poll', () => {
  test.each([
    [0, 2_160],
    [0.5, 2_400],
    [1, 2_640],
  ])('has a jitter of a tenth to either side: %d', (random, delayMs) => {
    expect(delayOf(UNKNOWN_MODEL, { random }).delayMs).toBeCloseTo(delayMs)
  })

  test('that is long has a jitter no longer than that of the longest interval', () => {
    const nextDelayMs = () => 60_000
    expect(delayOf(UNKNOWN_MODEL, { random: 1, nextDelayMs }).delayMs).toBe(60_500)
  })

  test.each([
    ['another model', UNKNOWN_MODEL],
    ['a job that another process submitted', { wait: waitOf({ job: { jobId: 'job_1', modelId: 'aurora-image' } }) }],
    ['a job of which only the id is known', { wait: waitOf({ job: { jobId: 'job_1', submittedAt: 1_000 } }) }],
  ])('does not go by the expected duration of the model of %s', (_, polled) => {
    expect(delayOf(polled).delayMs).toBe(2_400)
  })

  test('is that of a safety net beside a webhook', () => {
    expect(delayOf({ wait: waitOf({ hasWebhook: true }) }).delayMs).toBe(15_000)
    expect(delayOf({}).delayMs).toBeCloseTo(KNOWN_MS)
  })
})

describe('an interval of the caller', () => {
  test('may be 0', () => {
    expect(delayOf({}, { nextDelayMs: () => 0 })).toEqual({ delayMs: 0, warnings: [] })
  })

  test.each([
    ['gives a negative number', () => -1, 'gave -1'],
    ['throws', () => expect.unreachable('no'), 'failed (AssertionError: expected "no" not to be reached)'],
  ])('that %s is logged, and the default is used', (_, nextDelayMs, problem) => {
    const { delayMs, warnings } = delayOf({}, { nextDelayMs })
    expect(delayMs).toBeCloseTo(KNOWN_MS)
    expect(warnings).toEqual([`warn modelrun: polling.nextDelayMs ${problem} for the job job_1; the default is used`])
  })
})

describe('a job that a poll found finished', () => {
  const polledJobOf = (more: Partial<PolledJob> = {}) => {
    const wait = waitOf({ job: { jobId: 'job_1', modelId: 'aurora-image' } })
    const seen = { wait, state: { status: 'succeeded' }, bornAt: 1_000, seenAt: 41_000, isSeenFromStart: true }
    // The rest of a watch says nothing of how long its job took.
    return { ...seen, ...more } as PolledJob
  }
  const learnt = (polled: PolledJob, runningAt: number) => {
    const durations = createDurations()
    learnFrom(durations, polled, runningAt)
    return durations.of('aurora-image')
  }

  test.each<[string, Partial<PolledJob>]>([
    ['of an unknown model', { wait: waitOf({ job: { jobId: 'job_1' } }) }],
    ['that failed: that may be quick', { state: { status: 'failed' } }],
    ['whose state is not known', { state: undefined }],
  ])('teaches nothing when it is one %s', (_, more) => {
    expect(learnt(polledJobOf(more), 33_000)).toBeUndefined()
  })
})
