import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/manual-clock.ts'
import { createMemoryBudgetStore } from './budget-store.ts'

const reservation = { account: 'a', id: '1', credits: 4, limit: 10, expiresInMs: 1_000 }

test('forgets an account when it expires, and a late settlement changes nothing of the next one', async () => {
  const clock = createManualClock()
  const store = createMemoryBudgetStore(clock)
  await store.reserve(reservation)
  await clock.advance(1_000)
  await expect(store.balance('a')).resolves.toBe(0)
  await store.reserve({ ...reservation, id: '2' })
  await store.settle({ account: 'a', id: '1', charged: 0 })
  await expect(store.balance('a')).resolves.toBe(4)
})

test('keeps a limited number of accounts: it forgets none that counts, because that would give its credits back', async () => {
  const clock = createManualClock()
  const store = createMemoryBudgetStore(clock, 2)
  await store.reserve(reservation)
  await store.reserve({ ...reservation, account: 'b', expiresInMs: undefined })
  await expect(store.reserve({ ...reservation, account: 'c' })).rejects.toThrow('full: 2 accounts')
  await expect(store.reserve({ ...reservation, id: '2' })).resolves.toBe(true)
  await clock.advance(1_000)
  await expect(store.reserve({ ...reservation, account: 'c' })).resolves.toBe(true)
  await expect(store.balance('b')).resolves.toBe(4)
})
