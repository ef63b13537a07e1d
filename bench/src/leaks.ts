/** What 1000 calls leave behind: listeners on the caller's signal, timers and handles, a process that does not end. */
import type { LeaksJob, LeaksResult } from './children/leaks.ts'
import { CLIENT_NAMES, type ClientName } from './clients.ts'
import { type ChildRun, runChild } from './harness/child.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { startServer } from './harness/server.ts'
import { formatSummary, summarize } from './harness/stats.ts'

const CALLS = 1_000
const GRACE_MS = 10_000
const FOLLOWERS: readonly ClientName[] = ['modelrun', 'openai', 'replicate', 'fal']

interface Case {
  client: ClientName
  operation: LeaksJob['operation']
}

const cases: readonly Case[] = [
  ...CLIENT_NAMES.filter((name) => name !== 'ky + zod/mini').map((client): Case => ({ client, operation: 'read' })),
  ...FOLLOWERS.map((client): Case => ({ client, operation: 'follow' })),
]
const rounds = roundCount(3)
const server = await startServer()
const results = await interleave(cases, rounds, async ({ client, operation }) => {
  const settings = { baseUrl: server.urlOf(operation === 'read' ? 'job' : 'run', client), pollIntervalMs: 1 }
  const job: LeaksJob = { client, settings, operation, calls: CALLS, concurrency: 10 }
  return await runChild<LeaksResult>('leaks', job, { flags: ['--expose-gc'], graceMs: GRACE_MS })
})
server.close()

function describe(runs: readonly ChildRun<LeaksResult>[]): string[] {
  const range = (pick: (result: LeaksResult) => number) => {
    const { min, max } = summarize(runs.map(({ result }) => pick(result)))
    return min === max ? String(min) : `${min}–${max}`
  }
  const resources = new Set(runs.flatMap(({ result }) => result.resources))
  const exits = runs.map(({ exitDelayMs }) => exitDelayMs)
  return [
    range(({ listeners }) => listeners),
    range(({ listenersAfterGc }) => listenersAfterGc),
    resources.size === 0 ? 'none' : [...resources].join(', '),
    exits.some((delay) => delay === Number.POSITIVE_INFINITY)
      ? `not within ${GRACE_MS} ms`
      : `${formatSummary(summarize(exits), 0)} ms`,
  ]
}

const TITLES = { read: 'one GET', follow: 'POST, then polls to the end' }
await report('leaks', [
  `What ${CALLS} successful calls, 10 at a time, all given the same \`AbortSignal\`, leave behind. Listeners are those for \`abort\` on that signal, right after the last call and once more after garbage collection. Resources are what \`process.getActiveResourcesInfo()\` shows beyond what was there before. The last column is how long the process lives on with nothing left to do.`,
  table(
    ['client', 'call', 'listeners', 'listeners after gc', 'timers and handles', 'exits by itself after'],
    cases.map((item) => [item.client, TITLES[item.operation], ...describe(results.get(item) ?? [])]),
  ),
  `${rounds} rounds, a fresh process each.`,
])
