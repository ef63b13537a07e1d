import { expect, it } from 'vitest'
import { VirtualClock } from '../../test/legal-service/virtual-clock.ts'
import { Balance } from './balance.ts'

/** A balance from which each run takes 3 credits, so much later. */
function lateBalance(lateMs: number) {
  const clock = new VirtualClock()
  const chargedAt: number[] = []
  const reads: number[] = []
  const balance = new Balance(async () => {
    reads.push(clock.now())
    return 100 - 3 * chargedAt.filter((at) => at <= clock.now()).length
  }, clock)
  const run = async () => void chargedAt.push(clock.now() + lateMs)
  return { clock, balance, run, reads }
}

it('a charge that is expected is read once, at once', async () => {
  const { balance, run, reads, clock } = lateBalance(0)
  const startedAt = clock.now()
  expect((await balance.measured(run, () => 3)).charge).toEqual({ before: 100, after: 97 })
  expect(reads).toEqual([startedAt, startedAt])
})

it('a late charge is waited for, and is not taken for one of the next run', async () => {
  const { balance, run } = lateBalance(4_000)
  expect((await balance.measured(run, () => 3)).charge).toEqual({ before: 100, after: 97 })
  await run()
  expect((await balance.measured(run, () => 3)).charge).toEqual({ before: 94, after: 91 })
  expect(
    (
      await balance.measured(
        async () => {},
        () => 0,
      )
    ).charge,
  ).toEqual({ before: 91, after: 91 })
})

it('a charge of an unknown amount is read until it no longer changes', async () => {
  const { balance, run } = lateBalance(10_000)
  expect((await balance.measured(run, () => undefined)).charge).toEqual({ before: 100, after: 97 })
})

it('a balance that always changes is not waited for without end', async () => {
  const clock = new VirtualClock()
  let credits = 100
  const balance = new Balance(async () => --credits, clock)
  const startedAt = clock.now()
  await balance.measured(
    async () => {},
    () => 0,
  )
  expect(clock.now() - startedAt).toBeLessThan(100_000)
})

it('a charge that cannot be read is unknown', async () => {
  const balance = new Balance(async () => Promise.reject(new Error('down')), new VirtualClock())
  expect(
    await balance.measured(
      async () => 7,
      () => 0,
    ),
  ).toEqual({ value: 7, charge: undefined })
})
