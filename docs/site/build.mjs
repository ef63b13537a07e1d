// Builds the site with the reference of the API: `npm run docs`, with `-- --out folder` for another place than docs/site/dist.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))
const { values } = parseArgs({ options: { out: { type: 'string', default: `${here}dist` } } })
const out = resolve(process.env.INIT_CWD ?? '.', values.out)
const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' }

const node = (cwd, file, ...args) => spawn(process.execPath, [file, ...args], { cwd, env, stdio: 'inherit' })

if (!existsSync(`${here}node_modules`)) execFileSync('npm', ['ci'], { cwd: here, stdio: 'inherit' })
// At once, each with a core; the reference comes last into the folder, because the pages are searched and it is not.
const reference = node(root, 'node_modules/typedoc/bin/typedoc', '--out', `${out}-reference`)
await succeeds(node(here, 'node_modules/astro/bin/astro.mjs', 'build', '--outDir', out))
await succeeds(node(root, 'node_modules/typescript/bin/tsc', '-p', here))
await succeeds(reference)
renameSync(`${out}-reference`, `${out}/reference`)

async function succeeds(child) {
  if (child.exitCode === null) await once(child, 'exit')
  if (child.exitCode !== 0) process.exit(child.exitCode ?? 1)
}
