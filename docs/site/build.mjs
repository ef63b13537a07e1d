// Builds the site with the reference of the API: `npm run docs`, with `-- --out folder` for another place than docs/site/dist.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))
const { values } = parseArgs({ options: { out: { type: 'string', default: `${here}dist` } } })
const out = resolve(process.env.INIT_CWD ?? '.', values.out)
const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' }

const run = (cwd, file, ...args) => execFileSync(process.execPath, [file, ...args], { cwd, env, stdio: 'inherit' })

if (!existsSync(`${here}node_modules`)) execFileSync('npm', ['ci'], { cwd: here, stdio: 'inherit' })
run(here, 'node_modules/astro/bin/astro.mjs', 'build', '--outDir', out)
run(root, 'node_modules/typescript/bin/tsc', '-p', here)
run(root, 'node_modules/typedoc/bin/typedoc', '--out', `${out}/reference`)
