import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
  expect(paths.filter((path) => !existsSync(`${root}${path.startsWith('lab/') ? '' : 'packages/'}${path}`))).toEqual([])
})

const SDK = 'packages/sdk/src/'

/** The folder of a file: below `client`, the folder in it. Undefined for a file that is in none. */
function roomOf(path: string): string | undefined {
  const [top, inner, ...rest] = path.slice(SDK.length).split('/')
  if (inner === undefined) return undefined
  if (top !== 'client') return top
  return rest.length > 0 ? `client/${inner}` : 'client'
}

/** The rooms that the shipped files of each room import, types included. */
function importsOfRooms(): Map<string, Set<string>> {
  const files = globSync(`${SDK}**/*.{ts,tsx}`, { cwd: root }).filter((file) => !/\.test(-d)?\.ts$/.test(file))
  const imports = new Map<string, Set<string>>()
  for (const file of files) {
    const room = roomOf(file)
    const named = readFileSync(`${root}${file}`, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)
    const targets = Array.from(named, ([, path = '']) => roomOf(join(dirname(file), path)))
    if (room === undefined) continue
    const found = imports.get(room) ?? new Set()
    imports.set(room, found)
    for (const target of targets) if (target !== undefined && target !== room) found.add(target)
  }
  return imports
}

it('no two rooms of the sdk import each other', () => {
  const imports = importsOfRooms()
  expect(imports.size).toBeGreaterThan(10)
  // The files of `client` itself put its rooms together.
  const pairs = [...imports].flatMap(([room, targets]) =>
    [...targets].filter((target) => imports.get(target)?.has(room)).map((target) => [room, target]),
  )
  expect(pairs.filter((pair) => !pair.includes('client'))).toEqual([])
})

it('the client imports no other part of the sdk', () => {
  for (const [room, targets] of importsOfRooms()) {
    if (!/^client/.test(room)) continue
    expect([...targets].filter((target) => !/^(client|shared)/.test(target))).toEqual([])
  }
})
