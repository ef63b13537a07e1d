import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)

test('the table of runtimes.md has the runtimes that are checked (npm run runtimes -- --write updates it)', async () => {
  // Our own list, which has a name for each row.
  const { runtimes }: { runtimes: { name: string }[] } = await import(new URL('lab/runtimes/runtimes.mjs', root).href)
  const page = await readFile(new URL('docs/guides/runtimes.md', root), 'utf8')
  const [, table = ''] = /<!-- runtimes: start -->\n(.*?)<!-- runtimes: end -->/s.exec(page) ?? []
  const [, , ...rows] = table.trim().split('\n')
  expect(rows.map((row) => row.split(' | ', 1)[0])).toEqual(runtimes.map(({ name }) => `| ${name}`))
})
