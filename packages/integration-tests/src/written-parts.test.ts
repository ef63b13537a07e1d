import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { charts } from '../../../scripts/charts.ts'
import { figures, readDocument, withFigures } from '../../../scripts/figures.ts'
import { ROOT } from './code-blocks.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The lines of a table between two marks of a document; without a mark, of its first table. */
function tableIn(document: string, mark?: string): string[] {
  const [, part = ''] =
    new RegExp(`<!-- ${mark}: start -->\n(.*?)<!-- ${mark}: end -->`, 's').exec(read(document)) ?? []
  return (mark === undefined ? read(document) : part).split('\n').filter((line) => line.startsWith('|'))
}

it.each(Object.entries(charts))('%s shows the last results (npm run charts draws it)', (name, draw) => {
  expect(read(`docs/images/${name}`)).toBe(draw())
})

it.each(figures)('%s has the figures of the last results (npm run charts writes them)', (path) => {
  const text = readDocument(path)
  expect(text).toBe(withFigures(text))
  expect(text).toMatch(/<!-- [\w-]+: start -->/)
})

it('the table of runtimes.md has the runtimes that are checked (npm run runtimes -- --write updates it)', async () => {
  // Our own list, which has a name for each row.
  const { runtimes }: { runtimes: { name: string }[] } = await import(join(ROOT, 'lab/runtimes/runtimes.mjs'))
  const [, , ...rows] = tableIn('docs/guides/runtimes.md', 'runtimes')
  expect(rows.map((row) => row.split(' | ', 1)[0])).toEqual(runtimes.map(({ name }) => `| ${name}`))
})

it('llms.txt lists every guide for tools, with its title and first sentence (npm run llms updates the file)', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/llms-text.mjs'], { cwd: ROOT })
  await expect(stdout).toMatchFileSnapshot(join(ROOT, 'llms.txt'))
})
