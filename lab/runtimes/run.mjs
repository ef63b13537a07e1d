// Runs the program on every runtime, or on those whose names have the words of the command line, and prints a table.
// `--write` puts it into the README when all of it is as expected.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findProblems } from './expected.mjs'
import { runCommand } from './run-command.mjs'
import { runtimes } from './runtimes.mjs'
import { withServices } from './services.mjs'
import { renderHead, renderRow, writeTable } from './table.mjs'

const PREPARATION_LIMIT_MS = 300_000

/** Made once for all rows that need it. */
const prepared = new Map()
function prepare(command) {
  const key = command.join(' ')
  if (!prepared.has(key)) prepared.set(key, runCommand(command, PREPARATION_LIMIT_MS))
  return prepared.get(key)
}

async function check({ name, module, command, preparation, differs = {} }) {
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  const row = { name, whys: Object.values(differs).map(({ why }) => why) }
  try {
    if (preparation) await prepare(preparation)
    const outcome = JSON.parse(await withServices((urls) => runCommand([...command, ...urls])))
    const version = outcome.version ?? (await versionOf(module))
    return { ...row, ...outcome, version, problems: findProblems(outcome, differs), ms: ms() }
  } catch (error) {
    console.error(`${name}: ${error.message}`)
    return { ...row, problems: [error.message.split('\n', 1)[0]], ms: ms() }
  }
}

async function versionOf(module) {
  const path = join(import.meta.dirname, 'node_modules', module, 'package.json')
  return JSON.parse(await readFile(path, 'utf8')).version
}

const columns = {
  runtime: ({ name }) => name,
  version: ({ version = '' }) => version,
  'what differs': ({ whys }) => whys.join('; '),
}
const allColumns = {
  ...columns,
  'says it is': ({ agent = '' }) => agent,
  result: ({ problems }) => (problems.length === 0 ? 'ok' : problems.join('; ')),
  'rejected connection': ({ rejected }) => (rejected ? `\`${rejected.submission}\` (${rejected.reason})` : ''),
  ms: ({ ms }) => ms,
}

const { values, positionals } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true })
const words = positionals.map((word) => word.toLowerCase())
const rows = []
console.log(renderHead(allColumns))
for (const runtime of runtimes) {
  if (!words.every((word) => runtime.name.toLowerCase().includes(word))) continue
  rows.push(await check(runtime))
  console.log(renderRow(allColumns, rows.at(-1)))
}
const isWell = rows.length > 0 && rows.every(({ problems }) => problems.length === 0)
process.exitCode = isWell ? 0 : 1
if (values.write && isWell && words.length === 0) {
  const table = [renderHead(columns), ...rows.map((row) => renderRow(columns, row))].join('\n')
  writeTable(join(import.meta.dirname, '../../docs/guides/runtimes.md'), table)
}
