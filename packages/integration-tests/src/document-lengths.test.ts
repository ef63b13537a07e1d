import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './code-blocks.ts'

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean).length
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const guides = globSync('docs/guides/*.md', { cwd: ROOT })

it('the front page has at most 900 words', () => {
  expect(wordsOf(read('README.md'))).toBeLessThanOrEqual(900)
})

it('the guides have at most 45,000 words', () => {
  expect(guides.reduce((sum, path) => sum + wordsOf(read(path)), 0)).toBeLessThanOrEqual(45_000)
})

/** Tables and lists that are read from their first line. */
const INDEXES = ['assumptions', 'moving', 'paying-twice', 'specification', 'what-the-service-does-not-have']

const long = guides.filter(
  (path) => wordsOf(read(path)) > 1_000 && !INDEXES.some((name) => path.endsWith(`/${name}.md`)),
)

it.each(long)('%s starts with the most asked questions', (path) => {
  const [, list = ''] = /\n## Most asked\n\n(.*?)\n## /s.exec(read(path)) ?? []
  expect(list.match(/^- \*\*/gm)?.length).toBeGreaterThanOrEqual(5)
})
