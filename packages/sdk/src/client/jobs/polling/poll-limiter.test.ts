import { expect, test } from 'vitest'
import { createRateLimit } from './poll-limiter.ts'

test.each([
  ['the rate fully', 2, [0, 0, 1_000, 1_000, 2_000]],
  ['a rate below one start a second', 0.25, [0, 4_000, 8_000]],
  ['no limit, and delays no start', Number.POSITIVE_INFINITY, [0, 0, 0]],
])('a caller that always wants to start uses %s', (_, perSecond, starts) => {
  const limit = createRateLimit(perSecond)
  let now = 0
  const taken = starts.map(() => {
    now = Math.max(now, limit.nextAt())
    limit.take(now)
    return now
  })
  expect(taken).toEqual(starts)
})
