import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Where CI runs what: the manifests whose tools it installs. */
const MANIFESTS = [
  'package.json',
  ...globSync('{packages,lab/consumers,lab/runtimes}/{*/,}package.json', { cwd: root }).sort(),
]

const NAMES: Record<string, string> = {
  node: 'Node',
  typescript: 'TypeScript',
  vitest: 'vitest',
  jest: 'Jest',
  msw: 'msw',
  next: 'Next.js',
  react: 'React',
  ai: 'ai (Vercel AI SDK)',
  bullmq: 'BullMQ',
  ioredis: 'ioredis',
  pg: 'pg',
  express: 'Express',
  fastify: 'Fastify',
  hono: 'Hono',
  '@opentelemetry/api': '@opentelemetry/api',
}

test('support.md lists the versions that CI runs; `vitest -u` writes it', async () => {
  const versions = new Map(Object.keys(NAMES).map((name) => [name, new Set<string>()]))
  for (const manifest of MANIFESTS) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(`${root}/${manifest}`, 'utf8'))
    for (const [alias, range] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
      const [, name = alias, version = range] = /^npm:(.+)@(.+)$/.exec(range) ?? []
      versions.get(name)?.add(releaseOf(version))
    }
  }
  const tested = [...versions].filter(([, found]) => found.size > 0)
  const rows = tested.map(([name, found]) => `| ${NAMES[name]} | ${linesOf(found).join(', ')} |`)
  const head =
    '# Support\n\nWhat CI runs, from the manifests of its projects. Other versions may work; reports about them are welcome.\n'
  const text = `${head}\n| | tested |\n| --- | --- |\n${rows.join('\n')}\n`
  await expect(text).toMatchFileSnapshot(`${root}/docs/support.md`)
})

test('security.md names tests that exist', () => {
  const tests = new Set(globSync('packages/*/{src,test}/**/*.test.ts', { cwd: root }).map((path) => basename(path)))
  const named = readFileSync(`${root}/SECURITY.md`, 'utf8').match(/[\w.-]+\.test\.ts/g) ?? []
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !tests.has(name))).toEqual([])
})

/** The part of a version that says which line it is: 5.9 of ~5.9.3, 24 of ^24.21.0. */
function releaseOf(range: string): string {
  const [, sign, major, minor] = /^([~^]?)(\d+)\.(\d+)/.exec(range) ?? []
  return sign === '^' && major !== '0' ? `${major}` : `${major}.${minor}`
}

/** Sorted; without 24.21 where all of 24 is named. */
function linesOf(found: Set<string>): string[] {
  return [...found].filter((line) => !(line.includes('.') && found.has(line.replace(/\..*/, '')))).toSorted(byNumber)
}

function byNumber(one: string, other: string): number {
  return Number(one) - Number(other)
}
