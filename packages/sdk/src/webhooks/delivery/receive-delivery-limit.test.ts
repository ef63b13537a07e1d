import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/manual-clock.ts'
import { createUnverifiedLimit } from './receive-delivery.ts'

test('600 deliveries that may be invented are stored in a minute; the next minute has 600 of its own', async () => {
  const clock = createManualClock()
  const mayStore = createUnverifiedLimit(clock)
  const storedOf = (count: number) => Array.from({ length: count }, mayStore).filter(Boolean).length
  expect(storedOf(600)).toBe(600)
  expect(storedOf(1)).toBe(0)
  await clock.advance(59_999)
  expect(storedOf(1)).toBe(0)
  await clock.advance(1)
  expect(storedOf(601)).toBe(600)
  await clock.advance(59_999)
  expect(storedOf(1)).toBe(0)
  await clock.advance(1)
  expect(storedOf(1)).toBe(1)
})
