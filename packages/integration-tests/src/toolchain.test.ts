import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface LockFile {
  packages: Record<string, { version?: string; resolved?: string }>
}

// Our own file in npm's format: the tests below fail when it has another.
const { packages }: LockFile = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'))

// npm on an old Node resolves older majors without a word, so the lock file is held to those that work together.
test.each([
  ['zod', '4.'],
  ['msw', '3.'],
  ['hono', '4.'],
  ['@hono/node-server', '2.'],
  ['tsup', '9.'],
  ['typescript', '6.'],
  ['typescript-5.9', '5.9.'],
  ['typescript-7', '7.'],
  ['vitest', '5.'],
  ['typedoc', '0.28.'],
  ['@changesets/cli', '3.'],
  ['@biomejs/biome', '2.'],
  ['node', '24.'],
])('the lock file has %s at %s', (name, prefix) => {
  const version = packages[`node_modules/${name}`]?.version ?? 'none'
  expect(version.slice(0, prefix.length)).toBe(prefix)
})

test('the lock file names no registry: only workspaces have an address, and it is their folder', () => {
  const addresses = Object.values(packages).flatMap(({ resolved }) => resolved ?? [])
  expect(addresses.filter((address) => !/^((packages|examples)\/[\w-]+|lab)$/.test(address))).toEqual([])
})

test.each(['bench', 'consumers', 'mutation', 'runtimes'])('the lock file of lab/%s names no registry', (folder) => {
  const text = readFileSync(new URL(`../../../lab/${folder}/package-lock.json`, import.meta.url), 'utf8')
  expect(text).toContain('"lockfileVersion": 3')
  expect(text).not.toMatch(/"resolved": "(?!file:)[a-z+]+:/)
})

test('the lock file has the tools of other platforms too, not only of the machine that wrote it', () => {
  const found = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64'].map((platform) => [
    packages[`node_modules/@esbuild/${platform}`]?.version,
    packages[`node_modules/@biomejs/cli-${platform}`]?.version,
  ])
  expect(found.flat()).not.toContain(undefined)
})

test('tests run on the Node that the lock file has', () => {
  expect(process.versions.node.split('.')[0]).toBe(packages['node_modules/node']?.version?.split('.')[0])
})
