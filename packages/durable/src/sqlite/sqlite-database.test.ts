import { describe, expect, it } from 'vitest'
import { createWrites, type Write } from './sqlite-database.ts'

/** Notes each transaction: whether it goes to the disk. */
function setUp() {
  const transactions: boolean[] = []
  const write: Write = (toDisk, work) => {
    transactions.push(toDisk)
    return work()
  }
  return { add: createWrites(0, write), transactions }
}

const fail = () => {
  throw new Error('This one fails.')
}

describe('the work of one turn', () => {
  it('is one transaction, which goes to the disk when some of it has to', async () => {
    const { add, transactions } = setUp()
    expect(await Promise.all([add(false, () => 1), add(true, () => 2)])).toEqual([1, 2])
    expect(await add(false, () => 3)).toBe(3)
    expect(transactions).toEqual([true, false])
  })

  it('is kept although other work of the turn fails', async () => {
    const { add } = setUp()
    const results = await Promise.allSettled([add(true, () => 1), add(true, fail), add(true, () => 3)])
    expect(results).toMatchObject([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: { message: 'This one fails.' } },
      { status: 'fulfilled', value: 3 },
    ])
  })

  it('rejects when it is alone and fails', async () => {
    const { add, transactions } = setUp()
    await expect(add(true, fail)).rejects.toThrow('This one fails.')
    expect(transactions).toEqual([true])
  })
})
