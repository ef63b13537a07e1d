import { describe, expect, it } from 'vitest'
import { Account } from './account.ts'

describe('account', () => {
  it('gives scripted outcomes out by model, first in first out, each once', () => {
    const account = new Account(10)
    expect(account.addScript('one', [{ result: 'failed' }, { result: 'hang' }])).toBe(2)
    expect(account.addScript('one', [{ result: 'succeeded' }])).toBe(3)
    expect(account.takeScript('other')).toBeUndefined()
    const taken = [1, 2, 3, 4].map(() => account.takeScript('one')?.result)
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

  it('forgets charges and scripts on reset', () => {
    const account = new Account(10)
    account.credits.reserve(4)
    account.credits.charge(4)
    account.addScript('one', [{ result: 'failed' }])
    account.reset()
    expect(account.credits.left).toBe(10)
    expect(account.takeScript('one')).toBeUndefined()
  })
})
