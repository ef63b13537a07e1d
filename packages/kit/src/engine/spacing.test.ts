import fc from 'fast-check'
import { expect, it } from 'vitest'
import { msUntilStart, spacingOf, takeStarts } from './spacing.ts'

it('at most `max` start within any `perMs`, whenever workers ask and however many they want', () => {
  const asks = fc.array(fc.record({ pauseMs: fc.nat(700), wanted: fc.integer({ min: 1, max: 20 }) }), { maxLength: 60 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 2_000 }), asks, (max, perMs, all) => {
      const spacing = spacingOf({ max, perMs })
      const starts: number[] = []
      let now = 1_000
      let nextStart = 0
      for (const { pauseMs, wanted } of all) {
        now += pauseMs
        const taken = takeStarts(spacing, { now, nextStart, wanted })
        nextStart = taken.nextStart
        for (let index = 0; index < taken.starts; index += 1) starts.push(now)
      }
      for (const from of starts) {
        expect(starts.filter((at) => at >= from && at < from + perMs).length).toBeLessThanOrEqual(max)
      }
    }),
  )
})

it('a worker may start a task after the returned wait, and not before', () => {
  const spacing = spacingOf({ max: 7, perMs: 1_000 })
  const { nextStart, starts } = takeStarts(spacing, { now: 5_000, nextStart: 0, wanted: 100 })
  expect(starts).toBe(1)
  const waitMs = msUntilStart(spacing, { now: 5_000, nextStart })
  expect(takeStarts(spacing, { now: 5_000 + waitMs, nextStart, wanted: 1 }).starts).toBe(1)
  expect(takeStarts(spacing, { now: 5_000 + waitMs - 3, nextStart, wanted: 1 }).starts).toBe(0)
})

it('nearly the whole rate is used', () => {
  const spacing = spacingOf({ max: 50, perMs: 1_000 })
  let nextStart = 0
  let starts = 0
  for (let now = 10_000; now < 20_000; now += 10) {
    const taken = takeStarts(spacing, { now, nextStart, wanted: 10 })
    nextStart = taken.nextStart
    starts += taken.starts
  }
  expect(starts).toBeGreaterThan(460)
})
