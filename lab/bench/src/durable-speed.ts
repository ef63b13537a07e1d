/** How fast a durable batch is when the service is not what it waits for. */
import { loadavg } from 'node:os'
import type { SpeedJob, SpeedResult } from './children/durable-speed.ts'
import { runChild } from './harness/child.ts'
import { report, table } from './harness/report.ts'
import { interleave, roundCount } from './harness/rounds.ts'
import { formatSummary, summarize } from './harness/stats.ts'

const cases: readonly SpeedJob[] = [
  { keys: 5_000, concurrency: 10 },
  { keys: 5_000, concurrency: 50 },
]
const flags = ['--disable-warning=ExperimentalWarning']
const rounds = roundCount(3)
const results = await interleave(cases, rounds, async (job) => {
  return (await runChild<SpeedResult>('durable-speed', job, { flags, limitMs: 300_000 })).result
})

function rowOf(one: SpeedJob): string[] {
  const runs = results.get(one) ?? []
  const summary = (name: keyof SpeedResult, digits: number) =>
    formatSummary(summarize(runs.map((run) => run[name])), digits)
  return [one.keys.toLocaleString('en'), String(one.concurrency), summary('keysPerSecond', 0), summary('cpuMs', 2)]
}

await report(
  'durable-speed',
  [
    'A batch on a SQLite file on the disk, in one process with the reference server, which ends a job at once; from the first `runs.add` to the last result. Each key is one `POST` and one `GET`. `pollRate` is 100,000 a second: with the default of 10 a second, ten runs end in a second.',
    table(['keys', 'concurrency', 'keys a second', 'processor, ms a key'], cases.map(rowOf)),
    `Goal: 500 keys a second on a machine that does nothing else. Load of the last minute at the end: ${loadavg()[0]?.toFixed(1)}; two cores. ${rounds} rounds, a fresh process each.`,
  ],
  { packages: [] },
)
