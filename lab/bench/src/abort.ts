/** How long a call continues after it was aborted. */
import type { AbortJob, AbortResult } from './children/abort.ts'
import { CLIENT_NAMES, type ClientName } from './clients.ts'
import { runChild } from './harness/child.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { type Scenario, startServer } from './harness/server.ts'
import { formatSummary, summarize } from './harness/stats.ts'

interface Phase {
  title: string
  scenario: Scenario
  operation: AbortJob['operation']
}

const PHASES: readonly Phase[] = [
  { title: 'submitting', scenario: 'silent', operation: 'pay' },
  { title: 'backoff', scenario: 'throttled', operation: 'read' },
  { title: 'poll sleep', scenario: 'endless', operation: 'follow' },
  { title: 'stalled body', scenario: 'stalled-body', operation: 'read' },
]

/** Clients with a helper that follows a job to its end. */
const POLLING_CLIENTS: readonly ClientName[] = ['modelrun', 'openai', 'replicate', 'fal']

const ABORT_AFTER_MS = 500
const LIMIT_MS = 4_000
const POLL_INTERVAL_MS = 2_000

const clients = CLIENT_NAMES.filter((name) => name !== 'ky + zod/mini')
const cases = clients.flatMap((client) =>
  PHASES.filter(({ operation }) => operation !== 'follow' || POLLING_CLIENTS.includes(client)).map((phase) => ({
    client,
    phase,
  })),
)
const rounds = roundCount(5)
const server = await startServer()
const results = await interleave(cases, rounds, async ({ client, phase }) => {
  const settings = { baseUrl: server.urlOf(phase.scenario, client), pollIntervalMs: POLL_INTERVAL_MS }
  const job: AbortJob = {
    client,
    settings,
    operation: phase.operation,
    abortAfterMs: ABORT_AFTER_MS,
    limitMs: LIMIT_MS,
  }
  return (await runChild<AbortResult>('abort', job)).result
})
server.close()

function describe(client: ClientName, phase: Phase): string {
  const found = cases.find((item) => item.client === client && item.phase === phase)
  if (found === undefined) return '–'
  const outcomes = results.get(found) ?? []
  const settled = outcomes.filter((outcome) => outcome !== null)
  const first = settled[0]
  if (first === undefined) return `hangs (over ${LIMIT_MS} ms)`
  if (first.delayMs < 0) return `had ended before (${first.how})`
  const hangs = outcomes.length - settled.length
  const delay = formatSummary(summarize(settled.map(({ delayMs }) => delayMs)), 1)
  return `${delay} ${first.how}${hangs === 0 ? '' : `; ${hangs} of ${outcomes.length} hang`}`
}

await report('abort', [
  `Milliseconds from \`controller.abort()\` to the end of the call, median (min–max), and how it ended. The abort comes ${ABORT_AFTER_MS} ms after the call:`,
  [
    '- submitting: a paid POST to which the server does not respond',
    '- backoff: a GET with the response 429 and `Retry-After: 5`',
    `- poll sleep: a job that continues, polled every ${POLL_INTERVAL_MS} ms`,
    '- stalled body: a GET whose response stops in its body',
  ].join('\n'),
  table(
    ['client', ...PHASES.map(({ title }) => title)],
    clients.map((client) => [client, ...PHASES.map((phase) => describe(client, phase))]),
  ),
  `${rounds} rounds, a fresh process each.`,
])
