/** What the reference server keeps of jobs that are over: by its retention, no more than of the newest 100,000. */
import type { ServerMemoryJob, ServerMemoryResult } from './children/server-memory.ts'
import { runChild } from './harness/child.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { formatSummary, summarize } from './harness/stats.ts'

interface Case extends ServerMemoryJob {
  bound: number
}

const cases: readonly Case[] = [
  { jobs: 100_000, hasWebhook: false, bound: 60 },
  { jobs: 1_000_000, hasWebhook: false, bound: 60 },
  { jobs: 100_000, hasWebhook: true, bound: 120 },
]
const rounds = roundCount(1)
const results = await interleave(cases, rounds, async ({ jobs, hasWebhook }) => {
  const job: ServerMemoryJob = { jobs, hasWebhook }
  return (await runChild<ServerMemoryResult>('server-memory', job, { flags: ['--expose-gc'], limitMs: 600_000 })).result
})

function rowOf(one: Case): string[] {
  const runs = results.get(one) ?? []
  const summary = (name: keyof ServerMemoryResult, digits: number) =>
    formatSummary(summarize(runs.map((run) => run[name])), digits)
  const isMet = summarize(runs.map(({ megabytes }) => megabytes)).median <= one.bound
  return [
    one.jobs.toLocaleString('en'),
    one.hasWebhook ? 'yes' : 'no',
    summary('megabytes', 1),
    `≤ ${one.bound}`,
    isMet ? 'yes' : '**no**',
    summary('residentMegabytes', 0),
    summary('microsecondsPerJob', 0),
  ]
}

await report(
  'server-memory',
  [
    'What finished jobs take in a reference server with its default retention (100,000 jobs, 10,000 deliveries, a journal of 4 MiB): heap and buffers after garbage collection, less what was there before the first job. Each job is a `POST` by `server.fetch` with a prompt of 30 letters.',
    table(['jobs', 'webhook', 'MB', 'bound', 'met', 'resident, MB', 'µs per job'], cases.map(rowOf)),
    `${rounds} rounds, a fresh process each.`,
  ],
  [],
)
