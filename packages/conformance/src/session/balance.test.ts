import { expect, it } from 'vitest'
import { VirtualClock } from '../../test/virtual-clock.ts'
import { createBalance } from './balance.ts'

/** A balance from which each run takes 3 credits, so much later. */
async function lateBalance(lateMs: number) {
  const clock = new VirtualClock()
  const chargedAt: number[] = []
  const reads: number[] = []
  const balance = createBalance(async () => {
    reads.push(clock.now())
    return 100 - 3 * chargedAt.filter((at) => at <= clock.now()).length
  }, clock)
  await balance.open()
  const credits = () => balance.marks.map((mark) => mark.credits)
  return { clock, balance, run: () => chargedAt.push(clock.now() + lateMs), reads, credits }
}

it('a charge that is expected is read once, at once', async () => {
  const { balance, run, reads, clock, credits } = await lateBalance(0)
  const startedAt = clock.now()
  run()
  await balance.mark(7, 3)
  expect(balance.marks.at(-1)).toMatchObject({ after: 7, credits: 97 })
  expect(credits()).toEqual([100, 97])
  expect(reads).toEqual([startedAt, startedAt])
})

it('a late charge is waited for, and is not taken for one of the next run', async () => {
  const { balance, run, credits } = await lateBalance(4_000)
  run()
  await balance.mark(1, 3)
  run()
  await balance.mark(2, 3)
  await balance.mark(3, 0)
  await balance.close()
  expect(credits()).toEqual([100, 97, 94, 94, 94])
})

it.each([
  [undefined, 10_000],
  ['failed', 80_000],
] as const)('a charge that is open (%s) is waited for, also one that is %i ms late', async (price, lateMs) => {
  const { balance, run, credits } = await lateBalance(lateMs)
  run()
  await balance.mark(1, price)
  expect(credits()).toEqual([100, 97])
})

it('a balance that always changes is not waited for without end', async () => {
  const clock = new VirtualClock()
  let left = 100
  const balance = createBalance(async () => --left, clock)
  await balance.open()
  const startedAt = clock.now()
  await balance.mark(1, 0)
  expect(clock.now() - startedAt).toBeLessThan(100_000)
})

it('a balance that cannot be read has no marks', async () => {
  const balance = createBalance(async () => Promise.reject(new Error('down')), new VirtualClock())
  await balance.open()
  await balance.mark(1, 0)
  await balance.close()
  expect(balance.marks).toEqual([])
  expect(await balance.charged()).toBeUndefined()
})
