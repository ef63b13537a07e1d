import { describe, expect, it } from 'vitest'
import { Account } from '../../domain/account.ts'
import { Journal } from './journal.ts'
import type { NoteEntry } from './journal-entry.ts'

const note = (text: string): NoteEntry => ({ kind: 'note', at: 0, text })

function texts(journal: Journal, account?: Account) {
  return journal.records(account).map(({ entry }) => (entry.kind === 'note' ? entry.text : entry.kind))
}

describe('journal', () => {
  it('keeps what happened, by account and of all in order', () => {
    const journal = new Journal(100_000)
    const [mine, other] = [new Account(1), new Account(1)]
    journal.add(mine, note('1'))
    journal.add(other, note('2'))
    journal.add(null, note('3'))
    journal.add(mine, note('4'))
    expect([texts(journal, mine), texts(journal, other), texts(journal)]).toEqual([
      ['1', '4'],
      ['2'],
      ['1', '2', '3', '4'],
    ])
    journal.forget(mine)
    expect([texts(journal, mine), texts(journal)]).toEqual([[], ['2', '3']])
    journal.forget()
    expect(texts(journal)).toEqual([])
  })

  it('stays within its bytes, and lets a quiet tenant keep its entries', () => {
    const journal = new Journal(10_000)
    const [quiet, busy] = [new Account(1), new Account(1)]
    journal.add(quiet, note('kept'))
    for (let count = 0; count < 100; count++) journal.add(busy, note(`${count} ${'x'.repeat(500)}`))
    expect(texts(journal, quiet)).toEqual(['kept'])
    expect(texts(journal, busy).length).toBeLessThan(10_000 / 500)
    expect(texts(journal, busy).at(-1)).toMatch(/^99 /)
  })

  it('orders an entry by its start, before what ended earlier than the entry', () => {
    const journal = new Journal(100_000)
    const account = new Account(1)
    const start = journal.place()
    journal.add(account, note('within'))
    journal.add(account, note('around'), start)
    const [within, around] = journal.records(account)
    expect(around?.startPlace).toBeLessThan(Number(within?.startPlace))
    expect(around?.endPlace).toBeGreaterThan(Number(within?.endPlace))
  })
})
