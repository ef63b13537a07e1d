import { expect, it } from 'vitest'
import { findAttempts } from './attempts.ts'
import type { Batch } from './open-batch.ts'
import type { Row, RowRules } from './rows.ts'

it('finds a row that was written in another way among the runs of its own model alone', async () => {
  const input = { prompt: 'a fox' }
  const pages = [['m', 'other'].map((model) => ({ key: `of ${model}`, model, input, state: 'succeeded' })), []]
  const runs = { list: async () => pages.shift() ?? [], progress: async () => ({ total: 2 }) }
  // A batch that only lists.
  const batch = { runs, saved: { of: () => ({}) } } as unknown as Batch
  const rows = ['one', 'two'].map((key): Row => ({ row: 1, key, input, cells: new Map(), attempt: 1 }))
  const rules = { model: 'm', schema: { properties: {}, required: [] }, key: undefined } as unknown as RowRules
  await findAttempts(batch, rows, rules)
  expect(rows.map(({ key, run }) => [key, run?.key])).toEqual([
    ['of m', 'of m'],
    ['two', undefined],
  ])
})
