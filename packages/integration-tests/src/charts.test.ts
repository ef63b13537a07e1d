import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
// biome-ignore lint/style/noRestrictedImports: bench is not a package and has no public name
import { lostRows } from '../../../lab/bench/src/harness/lost-rows.ts'
import { charts } from '../../../scripts/charts.ts'
import { figures, readDocument, withFigures } from '../../../scripts/figures.ts'
import { ROOT } from './code-blocks.ts'

it.each(Object.entries(charts))('%s shows the last results (npm run charts draws it)', async (name, draw) => {
  expect(await readFile(join(ROOT, 'docs/images', name), 'utf8')).toBe(draw())
})

it.each(figures)('%s has the figures of the last results (npm run charts writes them)', (path) => {
  const text = readDocument(path)
  expect(text).toBe(withFigures(text))
  expect(text).toMatch(/<!-- [\w-]+: start -->/)
})

it('finds the rows of the last result that a new one of SQLite alone lacks', async () => {
  const last = await readFile(join(ROOT, 'lab/bench/results/durable-growth.md'), 'utf8')
  const ofSqlite = last.replace(/^\| (postgres|redis) .*\n/gm, '')
  expect(lostRows(last, ofSqlite, ['store', 'keys'])).toContain('redis, 10,000')
  expect(lostRows(last, ofSqlite, ['store', 'keys'])).toHaveLength(8)
  expect(lostRows(ofSqlite, last, ['store', 'keys'])).toEqual([])
})
