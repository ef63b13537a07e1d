// node src/main.ts [--again] <file or folder>…: mutates it and lists what no test noticed. README.md says how to read it.
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutate } from './mutate.ts'
import { report } from './report.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const from = process.env.INIT_CWD ?? root
const { positionals, values } = parseArgs({ allowPositionals: true, options: { again: { type: 'boolean' } } })

const targets = positionals.map((path) => relative(root, resolve(from, path)))
if (targets.length === 0) {
  console.error('Name what to mutate: npm run mutate -- packages/sdk/src/client/http')
  process.exit(2)
}
// Stryker takes the current folder for the project.
process.chdir(root)
for (const target of targets) {
  const mutants = await mutate(target, { again: values.again ?? false })
  console.log(report(target, mutants))
}
