// Runs each recipe in its engine under each fault, beside a naive step, and prints what both cost. Arguments name engines. With
// `--write`, the table goes into the guide.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { copyRecipe } from '../../packages/integration-tests/src/engines/copy-recipes.ts'
import { startRecipeService } from '../../packages/integration-tests/src/engines/recipe-service.ts'
import { startPostgres } from '../../packages/integration-tests/src/services/postgres.ts'
import { ENGINES, type OtherEngine } from './engines.ts'
import { performer } from './perform.ts'
import { problemsIn, type Row, renderTable, writeTable } from './table.ts'

const recipes = join(import.meta.dirname, 'out/recipes')
const { values, positionals } = parseArgs({ options: { write: { type: 'boolean' } }, allowPositionals: true })
const chosen = ENGINES.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

rmSync(recipes, { recursive: true, force: true })
const programs = new Map<string, string>()
for (const { name } of chosen) programs.set(name, await copyRecipe(name, recipes))
execFileSync(
  process.execPath,
  [join(import.meta.dirname, 'node_modules/typescript/bin/tsc'), '--project', import.meta.dirname],
  {
    stdio: 'inherit',
  },
)

const [postgres, service] = await Promise.all([startPostgres(), startRecipeService()])
const rows: Row[] = []
try {
  await createDatabase('dbos')
  for (const engine of chosen) rows.push(await runEngine(engine))
} finally {
  await service.stop()
  await postgres.stop()
}
const table = renderTable(rows)
console.log(`\n${table}`)
const problems = rows.flatMap(problemsIn)
for (const problem of problems) console.error(problem)
if (values.write && problems.length === 0 && chosen.length === ENGINES.length) {
  writeTable(join(import.meta.dirname, '../../docs/guides/workflow-engines.md'), table)
}
process.exitCode = problems.length === 0 ? 0 : 1

async function runEngine(engine: OtherEngine): Promise<Row> {
  const manifest = join(import.meta.dirname, 'node_modules', engine.package, 'package.json')
  const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  const perform = performer({ engine, program: programs.get(engine.name) ?? '', service, postgresUrl: postgres.url })
  const row: Row = { engine, version, cells: new Map(), conflict: await perform.conflict() }
  if (engine.name === 'workflow') row.aiSdk = await perform.aiSdk()
  for (const fault of engine.faults) {
    const naive = fault === 'lost-store' ? undefined : await perform.fault('naive', fault)
    row.cells.set(fault, { naive, ours: await perform.fault('ours', fault) })
  }
  return row
}

/** DBOS makes its tables in a database of its own. */
async function createDatabase(name: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
}
