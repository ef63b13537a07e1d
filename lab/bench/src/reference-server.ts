/** What the reference server costs beside bare hono and other mock servers: throughput, a call in process, start, install. */
import { loadavg } from 'node:os'
import { createReferenceServer } from '@modelrun/reference-server'
import type { AutoTimeResult } from './children/auto-time.ts'
import type { ServerFetchResult } from './children/server-fetch.ts'
import { runChild } from './harness/child.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { formatNumber, formatRatio, formatSummary, ratios, summarize } from './harness/stats.ts'
import { install, SERVERS, type ServerName } from './servers/installed.ts'
import { start } from './servers/start.ts'
import { measureThroughput, requireWrk, type Throughput, targetOf } from './servers/throughput.ts'
import { WAYS, type Way } from './servers/ways.ts'

await requireWrk()
const rounds = roundCount(7)
const OURS = 'reference server'

const installs = new Map(SERVERS.map((name) => [name, install(name)] as const))
const starts = await interleave(SERVERS, rounds, async (name) => {
  const server = await start(name)
  await server.stop()
  return server.firstResponseMs
})
const responses = await measureServers()
const calls = await interleave(WAYS, rounds, async (way) => {
  const { result } = await runChild<ServerFetchResult>('server-fetch', way)
  return result
})

const stories = await interleave(['auto'], rounds, async (clock) => {
  const { result } = await runChild<AutoTimeResult>('auto-time', clock)
  return result.milliseconds
})

/** All of them run at once, and one at a time has something to do. */
async function measureServers(): Promise<Map<ServerName, Throughput[]>> {
  const running = await Promise.all(SERVERS.map(async (name) => [name, await start(name)] as const))
  try {
    const { apiKey } = createReferenceServer() // the same seed gives the same key
    const targets = running.map(async ([name, server]) => ({
      name,
      server,
      target: await targetOf(name, server, apiKey),
    }))
    const measured = await interleave(await Promise.all(targets), rounds, measureThroughput)
    return new Map([...measured].map(([{ name }, found]) => [name, found]))
  } finally {
    await Promise.all(running.map(([, server]) => server.stop()))
  }
}

const responsesOf = (name: ServerName) => (responses.get(name) ?? []).map((one) => one.responsesPerSecond)
const loadCpuOf = (name: ServerName) => (responses.get(name) ?? []).map((one) => one.cpuMicroseconds)
const startsOf = (name: ServerName) => starts.get(name) ?? []
const callsOf = (way: Way) => (calls.get(way) ?? []).map(({ microseconds }) => microseconds)
const cpuOf = (way: Way) => (calls.get(way) ?? []).map(({ cpuMicroseconds }) => cpuMicroseconds)
const installOf = (name: ServerName) => installs.get(name) ?? { packages: Number.NaN, megabytes: Number.NaN }
/** How many responses it makes in the processor time in which another makes one. */
const toHono = ratios(loadCpuOf('hono'), loadCpuOf(OURS))
const toPrism = ratios(loadCpuOf('Prism'), loadCpuOf(OURS))
const storyMs = summarize(stories.get('auto') ?? [])
const callUs = summarize(callsOf('server.fetch'))
const cpuUs = summarize(cpuOf('server.fetch'))
const startMs = summarize(startsOf(OURS))
const startToHono = ratios(startsOf(OURS), startsOf('hono'))
const { packages, megabytes } = installOf(OURS)

const goals = [
  [
    'GET job over node http, responses in the same processor time, to bare hono',
    '≥ 0.9×',
    formatRatio(toHono),
    isMet(toHono.median >= 0.9),
  ],
  ['the same, to Prism', '≥ 5×', formatRatio(toPrism), isMet(toPrism.median >= 5)],
  ['GET job by `server.fetch`, µs', '≤ 60', formatSummary(callUs, 0), isMet(callUs.median <= 60)],
  ['the same, µs of CPU time', '≤ 60', formatSummary(cpuUs, 0), isMet(cpuUs.median <= 60)],
  [
    'hold of 55 s, 202, polls, result and webhook in `auto` time, ms',
    '≤ 1.5',
    formatSummary(storyMs, 2),
    isMet(storyMs.median <= 1.5),
  ],
  ['CLI: start to first response, ms', '≤ 200', formatSummary(startMs, 0), isMet(startMs.median <= 200)],
  ['the same, to bare hono', '≤ 1.4×', formatRatio(startToHono), isMet(startToHono.median <= 1.4)],
  ['installed packages', '≤ 10', formatNumber(packages, 0), isMet(packages <= 10)],
  ['installed size, MB', '≤ 10', formatNumber(megabytes, 1), isMet(megabytes <= 10)],
]

function isMet(condition: boolean): string {
  return condition ? 'yes' : '**no**'
}

await report(
  'reference-server',
  [
    'What the reference server costs beside bare hono and other mock servers. Median (min–max) over the rounds; the ratios are taken within each round. Goals are ours.',
    table(['what', 'bound', 'measured', 'met'], goals),
    '## Servers',
    'GET of one finished job over node http, on 50 connections kept open, from `wrk`. Processor time is that of the process of the server. The reference server checks the key, looks the job up and writes its journal; the others send the same body and check nothing. Start is from the start of the process to its first response. Installed is what npm installs, without what is optional.',
    table(
      [
        'server',
        'responses/s',
        'CPU µs per response',
        'responses in the same CPU time, to bare hono',
        'start, ms',
        'start, to bare hono',
        'packages',
        'MB',
      ],
      SERVERS.map((name) => [
        name,
        formatSummary(summarize(responsesOf(name)), 0),
        formatSummary(summarize(loadCpuOf(name)), 0),
        formatRatio(ratios(loadCpuOf('hono'), loadCpuOf(name))),
        formatSummary(summarize(startsOf(name)), 0),
        formatRatio(ratios(startsOf(name), startsOf('hono'))),
        formatNumber(installOf(name).packages, 0),
        formatNumber(installOf(name).megabytes, 1),
      ]),
    ),
    '## In one process',
    'The same job, one request after another, the body read as text.',
    table(
      ['way', 'µs per request', 'to bare hono', 'µs of CPU time', 'to bare hono'],
      WAYS.map((way) => [
        way,
        formatSummary(summarize(callsOf(way)), 0),
        formatRatio(ratios(callsOf(way), callsOf('bare hono'))),
        formatSummary(summarize(cpuOf(way)), 0),
        formatRatio(ratios(cpuOf(way), cpuOf('bare hono'))),
      ]),
    ),
    `${rounds} interleaved rounds. The load takes part of the machine as well, so that no server had all of it. At the end ${formatNumber(loadavg()[0] ?? 0, 0)} processes of the machine wanted to run (load average): with many more than cores, read ratios and CPU times only.`,
  ],
  { packages: ['hono', '@hono/node-server', 'msw'] },
)
