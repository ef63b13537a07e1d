import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const sources = globSync('packages/*/src/**/*.{ts,js,mjs}', { cwd: root })

/** Names that a text imports from zod by `import { … }`, as in the module that has them. */
function namedZodImports(text: string): string[] {
  const clauses = text.matchAll(
    /^(?:import|export)\s+(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]zod(?:\/[\w/-]+)?['"]/gm,
  )
  return [...clauses].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.replace(/^\s*type\s|\sas\s.*$/g, '').trim()),
  )
}

test('no source imports the named z, which keeps all of zod in a bundle: 93 kB instead of 10', () => {
  expect(sources).toContain('packages/contract/src/job.ts')
  const offenders = sources.filter((path) => namedZodImports(readFileSync(`${root}/${path}`, 'utf8')).includes('z'))
  expect(offenders).toEqual([])
})

test.each([
  ["import { z } from 'zod'", ['z']],
  ["import { type ZodType, z as schema } from 'zod/mini'", ['ZodType', 'z']],
  ["import {\n  z,\n} from 'zod/v4'", ['z', '']],
  ["export { z } from 'zod'", ['z']],
  ["import * as z from 'zod/mini'", []],
])('the search finds what %j names', (text, names) => {
  expect(namedZodImports(text)).toEqual(names)
})
