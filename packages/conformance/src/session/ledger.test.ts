import { expect, it } from 'vitest'
import { Ledger } from './ledger.ts'

const ledger = (ended: number, open: number, charged?: number) =>
  new Ledger({ limit: 10, owed: () => ({ ended, open }), charged: async () => charged })

it('takes runs up to the limit, and none that would pass it', async () => {
  const full = ledger(6, 4)
  await full.spend(6)
  await full.spend(4)
  await expect(full.spend(1)).rejects.toThrow('another run for 1 credits could pass the limit of 10')
})

it('pays again with what rejected and cancelled runs did not cost', async () => {
  const refunded = ledger(2, 3, 2)
  await refunded.spend(10)
  await refunded.spend(5)
  await expect(refunded.spend(6)).rejects.toThrow('could pass the limit')
})

it('does so with what the balance shows only, where a service charges for them', async () => {
  const dear = ledger(2, 3, 7)
  await dear.spend(10)
  await expect(dear.spend(1)).rejects.toThrow('could pass the limit')
})
