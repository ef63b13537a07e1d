import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDurations } from './durations.ts'

/** The expected duration after jobs of these durations, each known exactly. */
function expectedAfter(durations: readonly number[]) {
  const all = createDurations()
  for (const ms of durations) all.learn('aurora-image', { runningMs: ms, finishedMs: ms })
  return all.of('aurora-image')
}

describe('expected durations', () => {
  const same = (count: number, ms: number) => Array.from({ length: count }, () => ms)
  test.each([
    ['unknown for a model that was never seen', [], undefined],
    ['a fifth to either side of one single job', [40_000], { earliestMs: 32_000, latestMs: 48_000 }],
    ['narrower with each job that takes the same time', same(16, 40_000), { earliestMs: 39_500, latestMs: 40_500 }],
    [
      'the span of the durations that were seen',
      same(17, 36_000).map((ms, index) => ms + index * 500),
      { earliestMs: 35_600, latestMs: 44_400 },
    ],
    ['around two jobs', [10_000, 20_000], { earliestMs: 9_500, latestMs: 20_500 }],
    ['around two jobs, in whatever order', [20_000, 10_000], { earliestMs: 9_500, latestMs: 20_500 }],
  ])('are %s', (_, durations, expected) => {
    expect(expectedAfter(durations)).toEqual(expected)
  })

  test('are not wider for the few jobs that were polled seldom', () => {
    const all = createDurations()
    for (const doubtMs of [0, 4_000, 0, 4_000, 0, 4_000, 0, 4_000].toSorted((a, b) => b - a)) {
      all.learn('aurora-image', { runningMs: 12_000 - doubtMs, finishedMs: 12_000 + doubtMs })
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
    const all = createDurations()
    all.learn('aurora-image', { runningMs: 36_000, finishedMs: 44_000 })
    expect(all.of('aurora-image')).toEqual({ earliestMs: 32_000, latestMs: 48_000 })
    for (let job = 0; job < 7; job++) all.learn('aurora-image', { runningMs: 36_000, finishedMs: 44_000 })
    expect(all.of('aurora-image')).toEqual({ earliestMs: 36_000, latestMs: 44_000 })
  })

  test('are forgotten for the model that was seen longest ago, past a hundred models', () => {
    const all = createDurations()
    for (let model = 0; model < 100; model++) all.learn(`model-${model}`, { runningMs: 1_000, finishedMs: 1_000 })
    for (const model of ['model-0', 'model-100']) all.learn(model, { runningMs: 1_000, finishedMs: 1_000 })
    expect([all.of('model-0'), all.of('model-1'), all.of('model-2')]).toEqual([
      expect.anything(),
      undefined,
      expect.anything(),
    ])
  })
})

describe('what two polls say of how long a job took', () => {
  const learnt = (runningMs: number, finishedMs: number, before: readonly number[] = []) => {
    const all = createDurations()
    for (const ms of before) all.learn('aurora-image', { runningMs: ms, finishedMs: ms })
    const isLearnt = all.learn('aurora-image', { runningMs, finishedMs })
    return isLearnt ? all.of('aurora-image') : undefined
  }

  test('is learnt from polls close to each other', () => {
    expect(learnt(33_000, 41_000)).toEqual({ earliestMs: 29_600, latestMs: 44_400 })
  })

  test('is learnt from a first poll that came soon', () => {
    expect(learnt(0, 900)).toEqual({ earliestMs: 0, latestMs: 900 })
  })

  test.each([
    ['a night between them', 4_000, 28_800_000],
    ['one poll alone', 0, 41_000],
    ['a clock that was set back', 41_000, 33_000],
    ['a clock that was set back before the run', -3_600_000, -3_560_000],
  ])('is nothing with %s', (_, runningMs, finishedMs) => {
    expect(learnt(runningMs, finishedMs)).toBeUndefined()
    expect(learnt(runningMs, finishedMs, [1_000])).toBeUndefined()
  })

  test.each([40_000, 10_000])(
    'is shorter when the first poll finds a job finished sooner than expected, after %i ms',
    (ms) => {
      const after = learnt(0, ms, [40_000])
      expect(after?.latestMs).toBeLessThan(48_000)
    },
  )

  test('is never far from the truth, however long the process was stopped', () => {
    const ms = fc.integer({ min: 1, max: 1e8 })
    fc.assert(
      fc.property(ms, fc.double({ min: 0, max: 1, noNaN: true }), ms, (jobMs, share, stopMs) => {
        const expected = learnt(jobMs * share, jobMs + stopMs)
        const middleMs = expected && (expected.earliestMs + expected.latestMs) / 2
        if (middleMs !== undefined && jobMs > 1_000) expect(Math.abs(middleMs - jobMs)).toBeLessThan(jobMs * 0.6)
      }),
    )
  })
})
