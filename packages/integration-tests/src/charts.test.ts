import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { charts } from '../../../scripts/charts.ts'
import { ROOT } from './code-blocks.ts'

it.each(Object.entries(charts))('%s shows the last results (npm run charts draws it)', async (name, draw) => {
  expect(await readFile(join(ROOT, 'docs/images', name), 'utf8')).toBe(draw())
})
