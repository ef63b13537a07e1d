import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(`${root}docs/architecture.md`, 'utf8')

/** The files of a diagram: its first line is the folder that their paths start in. */
function filesOf(diagram: string): string[] {
  const [folder = '', ...lines] = diagram.split('\n')
  return lines.flatMap((line) => line.match(/[\w/-]+\.ts/g) ?? []).map((file) => `${folder}${file}`)
}

const diagrams = Array.from(page.matchAll(/(?<!-->\n)```text\n(packages\/[\s\S]+?)```/g), ([, text = '']) => text)

it('docs/architecture.md names files that exist', () => {
  const files = diagrams.flatMap(filesOf)
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((file) => !existsSync(`${root}${file}`))).toEqual([])
})

it('docs/architecture.md lists the files that a run, a delivery, a request and a row of a batch pass', async () => {
  const args = ['--conditions=@modelrun/source', 'scripts/measure.ts', '--check']
  await expect(promisify(execFile)(process.execPath, args, { cwd: root })).resolves.toMatchObject({ stderr: '' })
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

/** The folder of a file, below the sources of its package. Undefined for a file that is in none. */
function roomOf(path: string, sources: string): string | undefined {
  const folder = dirname(path.slice(sources.length))
  return folder === '.' ? undefined : folder
}

/** The rooms that the shipped files of each room import, types included. */
function importsOfRooms(sources: string, room = roomOf): Map<string, Set<string>> {
  const files = globSync(`${sources}**/*.{ts,tsx}`, { cwd: root }).filter((file) => !/\.test(-d)?\.ts$/.test(file))
  const imports = new Map<string, Set<string>>()
  for (const file of files) {
    const own = room(file, sources)
    const named = readFileSync(`${root}${file}`, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)
    const targets = Array.from(named, ([, path = '']) => room(join(dirname(file), path), sources))
    if (own === undefined) continue
    const found = imports.get(own) ?? new Set()
    imports.set(own, found)
    for (const target of targets) if (target !== undefined && target !== own) found.add(target)
  }
  return imports
}

/** The rooms that import each other. */
function pairsIn(imports: ReadonlyMap<string, ReadonlySet<string>>): [string, string][] {
  return [...imports].flatMap(([room, targets]) =>
    [...targets].filter((target) => imports.get(target)?.has(room)).map((target): [string, string] => [room, target]),
  )
}

const SDK = 'packages/sdk/src/'

/** The folder of a file: below `client`, the folder in it. */
function roomOfSdk(path: string): string | undefined {
  const [top, inner, ...rest] = path.slice(SDK.length).split('/')
  if (inner === undefined) return undefined
  if (top !== 'client') return top
  return rest.length > 0 ? `client/${inner}` : 'client'
}

it('no two rooms of the sdk import each other', () => {
  const imports = importsOfRooms(SDK, roomOfSdk)
  expect(imports.size).toBeGreaterThan(10)
  // The files of `client` itself put its rooms together.
  expect(pairsIn(imports).filter((pair) => !pair.includes('client'))).toEqual([])
})

it('no two rooms of the reference server import each other', () => {
  const imports = importsOfRooms('packages/reference-server/src/')
  expect(imports.size).toBeGreaterThan(10)
  expect(pairsIn(imports)).toEqual([])
})

it('the client imports no other part of the sdk', () => {
  for (const [room, targets] of importsOfRooms(SDK, roomOfSdk)) {
    if (!/^client/.test(room)) continue
    expect([...targets].filter((target) => !/^(client|shared)/.test(target))).toEqual([])
  }
})
