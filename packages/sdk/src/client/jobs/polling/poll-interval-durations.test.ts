import { describe, expect, test } from 'vitest'
import { createExpectedDurations, learnFrom } from './poll-interval.ts'
import type { PolledJob } from './polled-jobs.ts'

/** The expected duration after jobs of these durations, each known exactly. */
function expectedAfter(durations: readonly number[]) {
  const all = createExpectedDurations()
  for (const ms of durations) all.learn('aurora-image', ms, ms)
  return all.of('aurora-image')
}

describe('expected durations', () => {
  test('are unknown for a model that was never seen', () => {
    expect(createExpectedDurations().of('aurora-image')).toBeUndefined()
  })

  test('reach a fifth to either side of one single job', () => {
    expect(expectedAfter([40_000])).toEqual({ earliestMs: 32_000, latestMs: 48_000 })
  })

  test('get narrower with each job that takes the same time', () => {
    expect(expectedAfter(Array.from({ length: 16 }, () => 40_000))).toEqual({ earliestMs: 39_500, latestMs: 40_500 })
  })

  test('span the durations that were seen', () => {
    expect(expectedAfter(Array.from({ length: 17 }, (_, index) => 36_000 + index * 500))).toEqual({
      earliestMs: 36_000,
      latestMs: 44_000,
    })
  })

  test.each([[[10_000, 20_000]], [[20_000, 10_000]]])('are around two jobs, in whatever order: %j', (durations) => {
    expect(expectedAfter(durations)).toEqual({ earliestMs: 10_000, latestMs: 20_000 })
  })

  test('are not wider for the few jobs that were polled seldom', () => {
    const all = createExpectedDurations()
    for (const doubtMs of [0, 4_000, 0, 4_000, 0, 4_000, 0, 4_000].toSorted((a, b) => b - a)) {
      all.learn('aurora-image', 12_000 - doubtMs, 12_000 + doubtMs)
    }
    expect(all.of('aurora-image')).toEqual({ earliestMs: 11_700, latestMs: 12_300 })
  })

  test('do not change much for one outlier', () => {
    const expected = expectedAfter([...Array.from({ length: 9 }, (_, index) => 39_000 + index * 250), 600_000])
    expect(expected?.latestMs).toBeLessThan(43_000)
  })

  test('are those of the latest jobs when a model has become faster', () => {
    const fast = Array.from({ length: 32 }, () => 10_000)
    expect(expectedAfter([...Array.from({ length: 32 }, () => 40_000), ...fast])?.latestMs).toBeLessThan(11_000)
  })

  test('are as wide as the polls were apart', () => {
    const all = createExpectedDurations()
    all.learn('aurora-image', 36_000, 44_000)
    expect(all.of('aurora-image')).toEqual({ earliestMs: 32_000, latestMs: 48_000 })
    for (let job = 0; job < 7; job++) all.learn('aurora-image', 36_000, 44_000)
    expect(all.of('aurora-image')).toEqual({ earliestMs: 36_000, latestMs: 44_000 })
  })

  test('are forgotten for the model that was seen longest ago, past a hundred models', () => {
    const all = createExpectedDurations()
    for (let model = 0; model < 100; model++) all.learn(`model-${model}`, 1_000, 1_000)
    for (const model of ['model-0', 'model-100']) all.learn(model, 1_000, 1_000)
    expect([all.of('model-0'), all.of('model-1'), all.of('model-2')]).toEqual([
      expect.anything(),
      undefined,
      expect.anything(),
    ])
  })
})

describe('a job that a poll found finished', () => {
  const polledJobOf = (more: Partial<PolledJob> = {}) => {
    const job = { jobId: 'job_1', modelId: 'aurora-image' }
    const seen = { job, state: { status: 'succeeded' }, bornAt: 1_000, seenAt: 41_000, isSeenFromStart: true }
    // The rest of a watch says nothing of how long its job took.
    return { ...seen, ...more } as PolledJob
  }
  const learnt = (polled: PolledJob, runningAt: number) => {
    const durations = createExpectedDurations()
    learnFrom(durations, polled, runningAt)
    return durations.of('aurora-image')
  }

  test('took between the poll before and this one', () => {
    expect(learnt(polledJobOf(), 33_000)).toEqual({ earliestMs: 28_800, latestMs: 43_200 })
  })

  test('took at least 70 % of the time that a first poll waited', () => {
    expect(learnt(polledJobOf(), 1_000)).toEqual({ earliestMs: 27_200, latestMs: 40_800 })
  })

  test.each<[string, Partial<PolledJob>]>([
    ['that was submitted elsewhere or long before', { isSeenFromStart: false }],
    ['of an unknown model', { job: { jobId: 'job_1' } }],
    ['that failed: that may be quick', { state: { status: 'failed' } }],
    ['whose state is not known', { state: undefined }],
  ])('teaches nothing when it is one %s', (_, more) => {
    expect(learnt(polledJobOf(more), 33_000)).toBeUndefined()
  })
})
