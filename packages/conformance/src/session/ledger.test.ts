import { expect, it } from 'vitest'
import { Ledger } from './ledger.ts'

it('takes runs up to the limit, and rejects the one that would pass it', () => {
  const ledger = new Ledger(10)
  ledger.spend(6)
  expect(() => ledger.spend(5)).toThrow('another run for 5 credits would pass the limit of 10')
  ledger.spend(4)
  expect(ledger.sent).toBe(10)
})
