/** What must not grow with the keys, the models and the files of a reference server. */
import { availableParallelism, loadavg } from 'node:os'
import type { ServerCost, ServerCostResult } from './children/server-costs.ts'
import { runChild } from './harness/child.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { formatSummary, summarize } from './harness/stats.ts'

/** Milliseconds. */
const BOUNDS: readonly (readonly [cost: ServerCost, bound: number])[] = [
  ['wrong key, 10,000 keys', 1],
  ['unknown model, catalog of 10,000', 1],
  ['catalog of 100,000', 2_000],
  ['GET of a picture again, in process', 1],
  ['HEAD of a picture again, in process', 1],
  ['GET of a picture again, loopback', 1],
  ['HEAD of a picture again, loopback', 1],
]

const costs = BOUNDS.map(([cost]) => cost)
const rounds = roundCount(5)
const results = await interleave(costs, rounds, async (cost) => {
  return (await runChild<ServerCostResult>('server-costs', cost)).result
})

const rows = BOUNDS.map(([cost, bound]) => {
  const runs = results.get(cost) ?? []
  const wall = summarize(runs.map(({ milliseconds }) => milliseconds))
  const cpu = summarize(runs.map(({ cpuMilliseconds }) => cpuMilliseconds))
  const isMet = wall.median <= bound ? 'yes' : '**no**'
  return [cost, `≤ ${bound.toLocaleString('en')}`, formatSummary(wall, 2), isMet, formatSummary(cpu, 2)]
})

await report(
  'server-costs',
  [
    'What must not grow with the keys, the models and the files of a reference server, in milliseconds: the median of 200 requests, then median (min–max) over the rounds. CPU time is that of the process, the mean of the requests. A catalog is created once. On loopback the client is in the same process, and its time counts. Start of the command line: `reference-server.md`.',
    table(['what', 'bound', 'measured', 'met', 'CPU time'], rows),
    `${rounds} rounds, a fresh process each. At the end ${loadavg()[0]?.toFixed(0)} processes wanted to run on ${availableParallelism()} cores (load average): with many more than cores, read CPU times only.`,
  ],
  [],
)
