import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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
