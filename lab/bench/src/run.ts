/** Runs measurements, all or those named: `npm run bench -- cpu size --rounds 3`. `--no-build` takes the last build. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const MEASUREMENTS = [
  'double-charge',
  'providers',
  'abort',
  'stall',
  'waits',
  'size',
  'cpu',
  'reference-server',
  'durable-growth',
  'durable-speed',
]

const BENCH = fileURLToPath(new URL('../', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Our packages, which npm installs as copies. */
const PACKAGES = [
  { source: 'packages/contract', target: 'node_modules/@modelrun/contract' },
  { source: 'packages/sdk', target: 'node_modules/modelrun' },
  { source: 'packages/reference-server', target: 'node_modules/@modelrun/reference-server' },
  { source: 'packages/durable', target: 'node_modules/@modelrun/durable' },
  { source: 'packages/ai-sdk-provider', target: 'node_modules/@modelrun/ai-sdk-provider' },
]

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
}

/** Brings the installed copies up to date: npm does not notice that a package in a folder was built again. */
function refreshCopies(): void {
  for (const { source, target } of PACKAGES) {
    for (const item of ['dist', 'package.json']) {
      rmSync(`${BENCH}${target}/${item}`, { recursive: true, force: true })
      cpSync(`${ROOT}${source}/${item}`, `${BENCH}${target}/${item}`, { recursive: true })
    }
  }
}

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string' },
    keys: { type: 'string' },
    add: { type: 'string' },
    work: { type: 'string' },
    'no-build': { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !MEASUREMENTS.includes(name))
if (unknown.length > 0) {
  console.error(`There is no measurement ${unknown.join(', ')}. There are: ${MEASUREMENTS.join(', ')}.`)
  process.exit(1)
}

if (!values['no-build']) run('npm', ['run', 'build'], ROOT)
if (!existsSync(`${BENCH}node_modules/@modelrun/reference-server`)) run('npm', ['ci'], BENCH)
refreshCopies()
const rounds = values.rounds === undefined ? [] : ['--rounds', values.rounds]
const growth = (['keys', 'add', 'work'] as const).flatMap((name) =>
  values[name] === undefined ? [] : [`--${name}`, values[name]],
)
for (const name of positionals.length > 0 ? positionals : MEASUREMENTS) {
  run(process.execPath, [`src/${name}.ts`, ...(name === 'durable-growth' ? growth : rounds)], BENCH)
}
