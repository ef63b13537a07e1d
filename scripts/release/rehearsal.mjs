// `npm run release:rehearsal`: publishes every package to a registry of this process, then `modelrun` with a fix, and
// installs both as users do: one copy of each package, types that fit, and a run that succeeds.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findCopies, npm, packAll, readJson, root } from './packed.mjs'
import { startRegistry } from './registry.mjs'

const PROGRAM = `
import { createReferenceServer } from '@modelrun/reference-server'
import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { ModelRun } from 'modelrun'
const client: ModelRun = new ModelRun(createReferenceServer({ clock: 'auto' }).clientOptions())
const engine = createSqliteEngine({ path: ':memory:' })
await engine.setup()
const runs = createRuns({ client, engine })
await runs.add('a', 'aurora-image', { prompt: 'a fox' })
runs.start()
for await (const run of runs.results()) console.log(run.state)
await runs.stop()
await engine.close()
`

const scratch = mkdtempSync(join(tmpdir(), 'modelrun-rehearsal-'))
const registry = await startRegistry(npm(root, 'config', 'get', 'registry').trim())
try {
  const first = packAll(scratch)
  const names = first.map(({ name }) => name)
  for (const { path } of first) await publish(path)
  const client = first.find(({ name }) => name === 'modelrun')
  const fixed = client.version.replace(/\d+$/, (patch) => Number(patch) + 1)
  await publish(client.path, fixed)
  const app = join(scratch, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', version: '1.0.0', type: 'module' }))
  const wanted = first.map(({ name, version }) => `${name}@${name === 'modelrun' ? fixed : version}`)
  await run(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--registry', registry.url, ...wanted],
    app,
  )
  const copies = findCopies(app, names)
  if (copies.length > 0) throw new Error(`Installed more than once: ${JSON.stringify(copies)}`)
  writeFileSync(join(app, 'app.ts'), PROGRAM)
  const strict = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--lib',
    'es2024,dom,esnext',
  ]
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...strict, 'app.ts'], app)
  const output = await run(process.execPath, ['app.ts'], app)
  if (output !== 'succeeded\n') throw new Error(`The app printed ${output}`)
  console.log(
    `One copy of each of ${names.join(', ')}; modelrun ${fixed} with the others as they are compiles and runs.`,
  )
} finally {
  registry.close()
  rmSync(scratch, { recursive: true })
}

/** Publishes a packed package, as another version when one is given. */
async function publish(path, version) {
  const folder = mkdtempSync(join(scratch, 'publish-'))
  await run('tar', ['-xzf', path, '-C', folder], folder)
  const manifestPath = join(folder, 'package/package.json')
  const { scripts, ...manifest } = readJson(manifestPath)
  writeFileSync(manifestPath, JSON.stringify({ ...manifest, version: version ?? manifest.version }))
  const token = `--//${new URL(registry.url).host}/:_authToken=rehearsal`
  await run('npm', ['publish', '--registry', registry.url, token, '--tag', 'latest'], join(folder, 'package'))
}

async function run(command, args, cwd) {
  const { stdout } = await promisify(execFile)(command, args, { cwd })
  return stdout
}
