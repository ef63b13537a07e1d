import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The lines of the first table of a text. */
function tableIn(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('|'))
}

function tableOf(document: string): string[] {
  const text = readFileSync(`${root}${document}`, 'utf8')
  return tableIn(/<!-- providers: start -->\n(.*?)<!-- providers: end -->/s.exec(text)?.[1] ?? '')
}

const measured = tableIn(readFileSync(`${root}lab/bench/results/providers.md`, 'utf8'))

test('the README of the provider has the measured table (npm run bench -- providers writes it)', () => {
  expect(measured).toHaveLength(2 + 12)
  expect(tableOf('packages/ai-sdk-provider/README.md')).toEqual(measured)
})

test('the front page has its first three rows', () => {
  expect(tableOf('README.md')).toEqual(measured.slice(0, 2 + 3))
})
