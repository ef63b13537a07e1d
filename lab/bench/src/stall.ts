/** How far past its time limit a call continues when the service stalls. */
import type { TimeLimitJob, TimeLimitResult } from './children/time-limit.ts'
import { CLIENT_NAMES, type ClientName, type ClientSettings } from './clients.ts'
import { runChild } from './harness/child.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { type Scenario, startServer } from './harness/server.ts'
import { formatSummary, summarize } from './harness/stats.ts'

interface Stall {
  title: string
  scenario: Scenario
  operation: TimeLimitJob['operation']
  clients: readonly ClientName[]
  limits: Partial<ClientSettings>
}

const TIME_LIMIT_MS = 1_000
const GIVE_UP_AFTER_MS = 4_000

const POLLING = { pollIntervalMs: 100 }
const REQUEST_LIMIT = { timeoutMs: TIME_LIMIT_MS, maxRetries: 0 }
const POLLING_CLIENTS: readonly ClientName[] = ['modelrun', 'openai', 'replicate', 'fal']

const STALLS: readonly Stall[] = [
  {
    title: 'stalled body',
    scenario: 'stalled-body',
    operation: 'read',
    clients: CLIENT_NAMES.filter((name) => name !== 'ky + zod/mini'),
    limits: REQUEST_LIMIT,
  },
  {
    title: 'stalled poll',
    scenario: 'silent-poll',
    operation: 'follow',
    clients: POLLING_CLIENTS,
    limits: { ...POLLING, deadlineMs: TIME_LIMIT_MS },
  },
  {
    title: 'job that never ends',
    scenario: 'endless',
    operation: 'follow',
    clients: POLLING_CLIENTS,
    limits: { ...POLLING, deadlineMs: TIME_LIMIT_MS },
  },
]

const cases = STALLS.flatMap((stall) => stall.clients.map((client) => ({ stall, client })))
const rounds = roundCount(5)
const server = await startServer()
const results = await interleave(cases, rounds, async ({ stall, client }) => {
  const settings = { baseUrl: server.urlOf(stall.scenario, client), ...stall.limits }
  const limitMs = TIME_LIMIT_MS + GIVE_UP_AFTER_MS
  const job: TimeLimitJob = { client, settings, operation: stall.operation, limitMs }
  return (await runChild<TimeLimitResult>('time-limit', job)).result
})
server.close()

function describe(client: ClientName, stall: Stall): string {
  const found = cases.find((item) => item.client === client && item.stall === stall)
  if (found === undefined) return '–'
  const outcomes = results.get(found) ?? []
  const settled = outcomes.filter((outcome) => outcome !== null)
  const first = settled[0]
  if (first === undefined) return `hangs (over ${GIVE_UP_AFTER_MS} ms)`
  const late = settled.map(({ afterMs }) => afterMs - TIME_LIMIT_MS)
  return `${formatSummary(summarize(late), 1)} ${first.how}`
}

await report('stall', [
  `Milliseconds past a time limit of ${TIME_LIMIT_MS} ms until the call ends, median (min–max), and how it ended.`,
  [
    '- stalled body: one GET whose response stops in its body, without retries. The limit is the one of a request: `timeoutMs` (modelrun), `timeout` (ky, openai, anthropic), `AbortSignal.timeout` (fetch); replicate and fal have none.',
    '- stalled poll: a job is accepted and its poll gets no response. job that never ends: each poll says that it is unfinished. The limit is the one of the whole wait: `deadlineMs` (modelrun), `timeout` (fal); openai and replicate have none.',
  ].join('\n'),
  table(
    ['client', ...STALLS.map(({ title }) => title)],
    CLIENT_NAMES.filter((name) => name !== 'ky + zod/mini').map((client) => [
      client,
      ...STALLS.map((stall) => describe(client, stall)),
    ]),
  ),
  `${rounds} rounds, a fresh process each.`,
])
