import fc from 'fast-check'
import { expect, it } from 'vitest'
import { msUntilStart, type Spacing, spacingOf, startAfter } from './task-table.ts'

/** Starts up to `wanted` tasks at each time. Returns when they started. */
function startAt(spacing: Spacing, asks: readonly { now: number; wanted: number }[]): number[] {
  let nextStart = 0
  return asks.flatMap(({ now, wanted }) => {
    const starts: number[] = []
    while (starts.length < wanted && msUntilStart(spacing, { now, nextStart }) === 0) {
      nextStart = startAfter(spacing, { now, nextStart })
      starts.push(now)
    }
    return starts
  })
}

it('at most `max` start within any `perMs`, whenever workers ask and however many they want', () => {
  const asks = fc.array(fc.record({ pauseMs: fc.nat(700), wanted: fc.integer({ min: 1, max: 20 }) }), { maxLength: 60 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 2_000 }), asks, (max, perMs, all) => {
      let now = 1_000
      const times = all.map(({ pauseMs, wanted }) => {
        now += pauseMs
        return { now, wanted }
      })
      const starts = startAt(spacingOf({ max, perMs }), times)
      for (const from of starts) {
        expect(starts.filter((at) => at >= from && at < from + perMs).length).toBeLessThanOrEqual(max)
      }
    }),
  )
})

it('a task may start after the returned wait, and not before', () => {
  const spacing = spacingOf({ max: 7, perMs: 1_000 })
  const now = 5_000
  const nextStart = startAfter(spacing, { now, nextStart: 0 })
  const waitMs = msUntilStart(spacing, { now, nextStart })
  const left = [0, waitMs - 3, waitMs].map((later) => msUntilStart(spacing, { now: now + later, nextStart }) > 0)
  expect(left).toEqual([true, true, false])
})

it('nearly the whole rate is used', () => {
  const asks = Array.from({ length: 1_000 }, (_, index) => ({ now: 10_000 + index * 10, wanted: 10 }))
  expect(startAt(spacingOf({ max: 50, perMs: 1_000 }), asks).length).toBeGreaterThan(460)
})
