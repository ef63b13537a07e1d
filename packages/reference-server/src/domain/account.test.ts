import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Account, Credits } from './account.ts'

describe('account', () => {
  it('gives scripted outcomes out by model, first in first out, each once', () => {
    const account = new Account(10)
    expect(account.addScript('one', [{ result: 'failed' }, { result: 'hang' }])).toBe(2)
    expect(account.addScript('one', [{ result: 'succeeded' }])).toBe(3)
    expect(account.findScript('other', {})).toBeUndefined()
    const take = (modelId: string) => {
      const found = account.findScript(modelId, {})
      if (found !== undefined) account.dropScript(modelId, found)
      return found?.result
    }
    const taken = [1, 2, 3, 4].map(() => take('one'))
    expect(taken).toEqual(['failed', 'hang', 'succeeded', undefined])
  })

  it('takes the outcomes of the catalog in turn, and again from the first', () => {
    const account = new Account(10)
    const model = { id: 'one', outcomes: [{ result: 'failed' }, { result: 'hang' }] } as const
    const take = () => account.takeTurn(model as never)?.result
    expect([take(), take(), take()]).toEqual(['failed', 'hang', 'failed'])
    account.reset()
    expect(take()).toBe('failed')
    expect(account.takeTurn({ id: 'other' } as never)).toBeUndefined()
  })
})

describe('credits', () => {
  it('never falls below zero and always adds up, whatever runs come and end', () => {
    const runs = fc.array(fc.record({ price: fc.nat(50), end: fc.constantFrom('charge', 'release') }))
    fc.assert(
      fc.property(runs, (list) => {
        const credits = new Credits(100)
        const started = list.filter(({ price }) => credits.reserve(price))
        expect(credits.available).toBeGreaterThanOrEqual(0)
        let charged = 0
        for (const { price, end } of started) {
          if (end === 'charge') charged += price
          credits[end === 'charge' ? 'charge' : 'release'](price)
        }
        expect(credits).toMatchObject({ left: 100 - charged, available: 100 - charged })
      }),
    )
  })
})
