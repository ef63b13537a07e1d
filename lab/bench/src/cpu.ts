/** CPU time that one call costs the calling process. */
import type { CpuJob, CpuResult } from './children/cpu.ts'
import { CLIENT_NAMES, type ClientName } from './clients.ts'
import { runChild } from './harness/child.ts'
import { describeDisturbance, measureInQuiet } from './harness/quiet.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { startServer } from './harness/server.ts'
import { formatNumber, formatRatio, formatSummary, ratios, summarize } from './harness/stats.ts'

const LOADS = [
  { title: 'one after another', concurrency: 1, warmupCalls: 1_500, calls: 4_000 },
  { title: '50 in flight', concurrency: 50, warmupCalls: 3_000, calls: 8_000 },
] as const

const cases = LOADS.flatMap((load) => CLIENT_NAMES.map((client) => ({ client, load })))
const rounds = roundCount(7)
// The server lives in this process, which does nothing else while a child runs.
const server = await startServer()
const results = await interleave(cases, rounds, async ({ client, load: { title: _, ...load } }) => {
  const job: CpuJob = { client, baseUrl: server.urlOf('job', client), ...load }
  return await measureInQuiet(async () => (await runChild<CpuResult>('cpu', job)).result)
})
server.close()

type Load = (typeof LOADS)[number]

function microsPerCall(client: ClientName, load: Load): number[] {
  const found = cases.find((item) => item.client === client && item.load === load)
  return ((found && results.get(found)) ?? []).map(({ cpuMicros }) => cpuMicros / load.calls)
}

function callsPerSecond(client: ClientName, load: Load): number {
  const found = cases.find((item) => item.client === client && item.load === load)
  const walls = ((found && results.get(found)) ?? []).map(({ wallMs }) => wallMs)
  return (load.calls / summarize(walls).median) * 1_000
}

function tableOf(load: Load): string {
  const fetchMicros = microsPerCall('fetch', load)
  const kyMicros = microsPerCall('ky', load)
  const rows = CLIENT_NAMES.map((client) => {
    const micros = microsPerCall(client, load)
    return [
      client,
      formatSummary(summarize(micros), 0),
      formatRatio(ratios(micros, fetchMicros)),
      formatRatio(ratios(micros, kyMicros)),
      formatNumber(callsPerSecond(client, load), 0),
    ]
  })
  return table(['client', 'CPU µs per call', 'to fetch', 'to ky', 'calls/s'], rows)
}

await report('cpu', [
  'User and system time of the calling process for one GET of a JSON body of 600 bytes, from a bare node:http server in another process. Median (min–max) over the rounds; the ratios are taken within each round. `modelrun` and `ky + zod/mini` check the shape of the body, the others do not. Every client has its defaults.',
  ...LOADS.flatMap((load) => [`## ${load.title}`, tableOf(load)]),
  `${rounds} interleaved rounds, a fresh process each. ${describeDisturbance([...results.values()].flat())} Do not read differences below a tenth.`,
])
