import { describe, expect, it } from 'vitest'
import { type Write, Writes } from './sqlite-database.ts'

/** Notes each transaction: whether it goes to the disk. */
function setUp(): { group: Writes; transactions: boolean[] } {
  const transactions: boolean[] = []
  const write: Write = (toDisk, work) => {
    transactions.push(toDisk)
    return work()
  }
  return { group: new Writes(0, write), transactions }
}

const fail = () => {
  throw new Error('This one fails.')
}

describe('the work of one turn', () => {
  it('is one transaction, which goes to the disk when some of it has to', async () => {
    const { group, transactions } = setUp()
    expect(await Promise.all([group.add(false, () => 1), group.add(true, () => 2)])).toEqual([1, 2])
    expect(await group.add(false, () => 3)).toBe(3)
    expect(transactions).toEqual([true, false])
  })

  it('is kept although other work of the turn fails', async () => {
    const { group } = setUp()
    const results = await Promise.allSettled([
      group.add(true, () => 1),
      group.add(true, fail),
      group.add(true, () => 3),
    ])
    expect(results).toMatchObject([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: { message: 'This one fails.' } },
      { status: 'fulfilled', value: 3 },
    ])
  })

  it('rejects when it is alone and fails', async () => {
    const { group, transactions } = setUp()
    await expect(group.add(true, fail)).rejects.toThrow('This one fails.')
    expect(transactions).toEqual([true])
  })
})
