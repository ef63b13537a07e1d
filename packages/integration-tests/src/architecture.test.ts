import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(`${root}docs/architecture.md`, 'utf8')

/** The files of a diagram: its first line is the folder that their paths start in. */
function filesOf(diagram: string): string[] {
  const [folder = '', ...lines] = diagram.split('\n')
  return lines.flatMap((line) => line.match(/[\w/-]+\.ts/g) ?? []).map((file) => `${folder}${file}`)
}

const diagrams = Array.from(page.matchAll(/```text\n([\s\S]+?)```/g), ([, text = '']) => text)

it('docs/architecture.md names files that exist', () => {
  const files = diagrams.flatMap(filesOf)
  expect(files.length).toBeGreaterThan(40)
  expect(files.filter((file) => !existsSync(`${root}${file}`))).toEqual([])
})

it('docs/architecture.md shows every published package', () => {
  for (const name of [
    'modelrun',
    '@modelrun/durable',
    '@modelrun/ai-sdk-provider',
    '@modelrun/cli',
    '@modelrun/dashboard',
    '@modelrun/contract',
    '@modelrun/reference-server',
  ])
    expect(page).toContain(`["${name}<br>`)
})

it('docs/how-to-extend.md names files and folders that exist', () => {
  const recipes = readFileSync(`${root}docs/how-to-extend.md`, 'utf8')
  const named = Array.from(recipes.matchAll(/`([\w.-]+\/[\w./-]+)`/g), ([, path = '']) => path)
  const paths = named.filter((path) => !path.startsWith('docs/'))
  expect(paths.length).toBeGreaterThan(20)
  expect(paths.filter((path) => !existsSync(`${root}packages/${path}`))).toEqual([])
})
