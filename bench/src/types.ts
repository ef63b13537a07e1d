/** What a client costs the type checker, and how much of it is `any`. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { countAny } from './count-any.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { formatNumber, formatSummary, summarize } from './harness/stats.ts'

interface Program {
  title: string
  /** Name of a file in `type-programs/`. */
  file: string
  /** Declaration files of the package, below `node_modules/`. */
  declarations: readonly string[]
}

const BASELINE = 'fetch'
const CONTRACT = '@modelrun/contract/dist/index.d.ts'
const PROGRAMS: readonly Program[] = [
  { title: '(empty)', file: 'empty', declarations: [] },
  { title: 'fetch', file: BASELINE, declarations: [] },
  { title: '**modelrun**', file: 'modelrun', declarations: ['modelrun/dist/index.d.ts', CONTRACT] },
  { title: '**modelrun/webhooks**', file: 'webhooks', declarations: ['modelrun/dist/webhooks/index.d.ts', CONTRACT] },
  { title: 'ky', file: 'ky', declarations: ['ky/distribution/index.d.ts'] },
  { title: 'ky + zod/mini', file: 'ky-zod-mini', declarations: [] },
  { title: 'openai', file: 'openai', declarations: ['openai/index.d.ts'] },
  { title: '@anthropic-ai/sdk', file: 'anthropic', declarations: ['@anthropic-ai/sdk/index.d.ts'] },
  { title: 'replicate', file: 'replicate', declarations: ['replicate/index.d.ts'] },
  { title: '@fal-ai/client', file: 'fal', declarations: ['@fal-ai/client/src/index.d.ts'] },
]

interface Check {
  totalSeconds: number
  instantiations: number
  types: number
  memoryMb: number
}

const FLAGS =
  '--noEmit --extendedDiagnostics --skipLibCheck --strict --target es2024 --module nodenext --lib es2024,dom --types node'

function check({ file }: Program): Check {
  const root = new URL('../', import.meta.url)
  const compiler = fileURLToPath(new URL('node_modules/typescript/lib/tsc.js', root))
  const output = execFileSync(
    process.execPath,
    [compiler, ...FLAGS.split(' '), '--ignoreConfig', `src/type-programs/${file}.ts`],
    { cwd: fileURLToPath(root), encoding: 'utf8' },
  )
  const read = (label: string) => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, 'm').exec(output)?.[1])
  return {
    totalSeconds: read('Total time'),
    instantiations: read('Instantiations'),
    types: read('Types'),
    memoryMb: read('Memory used') / 1_000,
  }
}

const rounds = roundCount(7)
const results = await interleave(PROGRAMS, rounds, async (program) => check(program))
const secondsOf = (program: Program) => (results.get(program) ?? []).map(({ totalSeconds }) => totalSeconds)
const baseline = summarize(PROGRAMS.filter(({ file }) => file === BASELINE).flatMap(secondsOf))

function anyOf({ declarations }: Program): string {
  if (declarations.length === 0) return '–'
  const paths = declarations.map((path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url)))
  return formatNumber(countAny(paths), 0)
}

await report('types', [
  `Checking a program of one file that uses the client: \`tsc ${FLAGS}\`. Median (min–max); the ratio is that of the fastest rounds, which other processes disturbed least. Instantiations and types do not vary. \`any\`: how often it is written in the declaration files that the package's entry reaches within the package; for modelrun, its contract too.`,
  table(
    ['program', 'total s', 'to fetch', 'instantiations', 'types', 'memory MB', '`any`'],
    PROGRAMS.map((program) => {
      const seconds = secondsOf(program)
      const first = results.get(program)?.[0]
      return [
        program.title,
        formatSummary(summarize(seconds), 2),
        `${(summarize(seconds).min / baseline.min).toFixed(2)}×`,
        formatNumber(first?.instantiations ?? 0, 0),
        formatNumber(first?.types ?? 0, 0),
        formatNumber(first?.memoryMb ?? 0, 0),
        anyOf(program),
      ]
    }),
  ),
  `${rounds} interleaved rounds, typescript ${ts.version}.`,
])
