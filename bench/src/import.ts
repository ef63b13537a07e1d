/** What it costs a process to import a client. */
import { runNode } from './harness/child.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { formatRatio, formatSummary, ratios, summarize } from './harness/stats.ts'

const EMPTY = '(nothing)'
const FETCH = '(fetch touched)'

/** What each process runs. */
const PROGRAMS: Readonly<Record<string, string>> = {
  [EMPTY]: '',
  // Node loads its HTTP client when `fetch` is first used; every client pays this at its first call at the latest.
  [FETCH]: `await fetch('data:,')`,
  modelrun: `import 'modelrun'`,
  'modelrun, then fetch': `import 'modelrun'; await fetch('data:,')`,
  'modelrun/webhooks': `import 'modelrun/webhooks'`,
  ky: `import 'ky'`,
  'zod/mini': `import 'zod/mini'`,
  'ky + zod/mini': `import 'ky'; import 'zod/mini'`,
  replicate: `import 'replicate'`,
  '@fal-ai/client': `import '@fal-ai/client'`,
  openai: `import 'openai'`,
  '@anthropic-ai/sdk': `import '@anthropic-ai/sdk'`,
}

interface Cost {
  wallMs: number
  cpuMs: number
}

/** Says what the process has used, without loading anything for it. */
const EPILOGUE = `; process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  process.getBuiltinModule('node:fs').writeSync(1, JSON.stringify((userCPUTime + systemCPUTime) / 1000))
})`

const names = Object.keys(PROGRAMS)
const rounds = roundCount(21)
const results = await interleave(names, rounds, async (name): Promise<Cost> => {
  const { result, wallMs } = await runNode<number>(['--input-type=module', '--eval', `${PROGRAMS[name]}${EPILOGUE}`])
  return { wallMs, cpuMs: result }
})

const wallOf = (name: string) => (results.get(name) ?? []).map(({ wallMs }) => wallMs)
const cpuOf = (name: string) => (results.get(name) ?? []).map(({ cpuMs }) => cpuMs)

await report('import', [
  'Life of a process that imports one package and ends, in milliseconds: median (min–max). The ratios are taken within each round.',
  table(
    ['import', 'wall ms', 'CPU ms', 'wall to nothing', 'wall to fetch touched', 'CPU to fetch touched'],
    names.map((name) => [
      name,
      formatSummary(summarize(wallOf(name)), 0),
      formatSummary(summarize(cpuOf(name)), 0),
      formatRatio(ratios(wallOf(name), wallOf(EMPTY))),
      formatRatio(ratios(wallOf(name), wallOf(FETCH))),
      formatRatio(ratios(cpuOf(name), cpuOf(FETCH))),
    ]),
  ),
  `${rounds} interleaved rounds. No compile cache.`,
])
