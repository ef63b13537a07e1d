import { expect, it } from 'vitest'
import { listRuns } from './list-runs.ts'
import type { Batch } from './open-batch.ts'

it.each([
  { when: 'one moves on meanwhile', total: 3, pages: ['ab', 'b', '', 'ab', 'c', ''], expected: 'abc' },
  { when: 'one is nowhere', total: 2, pages: ['a', '', 'a', '', 'a', '', 'a', '', 'a', ''], expected: 'a' },
])('lists all runs that there are when $when', async ({ total, pages, expected }) => {
  const list = async () => [...(pages.shift() ?? '')].map((key) => ({ key, cursor: key }))
  // A batch that only lists.
  const batch = { runs: { list, progress: async () => ({ total }) } } as unknown as Batch
  const found = await listRuns(batch)
  expect([found.map(({ key }) => key).join(''), pages]).toEqual([expected, []])
})
