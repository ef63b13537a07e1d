import { expect, it } from 'vitest'
import { listRuns } from './list-runs.ts'
import type { Batch } from './open-batch.ts'

it.each([
  ['moves on between two pages', 3, [['a', 'b'], ['b'], [], ['a', 'b'], ['c'], []], ['a', 'b', 'c']],
  ['is not there', 2, [['a'], [], ['a'], [], ['a'], [], ['a'], [], ['a'], []], ['a']],
])('lists all runs when one %s', async (_, total, pages, expected) => {
  const list = async () => pages.shift()?.map((key) => ({ key, cursor: key }))
  // A batch that only lists.
  const batch = { runs: { list, progress: async () => ({ total }) } } as unknown as Batch
  expect((await listRuns(batch)).map(({ key }) => key)).toEqual(expected)
  expect(pages).toEqual([])
})
