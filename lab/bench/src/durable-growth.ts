/**
 * What a durable batch costs as it grows: `npm run bench -- durable-growth --keys 1000,10000`. SQLite in one process; Postgres
 * and Redis with four, when `POSTGRES_URL` and `REDIS_URL` name a store that may be emptied. A result without a row of the last
 * one is printed and not kept.
 */
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { GrowthJob, GrowthResult } from './children/durable-growth.ts'
import { bytesOf, clearStore, fillStore, type StoreAt } from './durable/stores.ts'
import { runChild } from './harness/child.ts'
import { report, table } from './harness/report.ts'

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '1000,10000' },
    add: { type: 'string', default: 'Infinity' },
    work: { type: 'string', default: 'Infinity' },
  },
})
const sizes = values.keys.split(',').map(Number)
const mostAdds = Number(values.add)
const mostWork = Number(values.work)

const { POSTGRES_URL, REDIS_URL } = process.env
const stores: { store: StoreAt; processes: number }[] = [
  { store: { kind: 'sqlite', at: join(tmpdir(), `modelrun-growth-${process.pid}.db`) }, processes: 1 },
  ...(POSTGRES_URL ? [{ store: { kind: 'postgres', at: POSTGRES_URL } as const, processes: 4 }] : []),
  ...(REDIS_URL ? [{ store: { kind: 'redis', at: REDIS_URL } as const, processes: 4 }] : []),
]

/** Runs a child. */
async function run(job: GrowthJob): Promise<GrowthResult> {
  const flags = ['--disable-warning=ExperimentalWarning']
  return (await runChild<GrowthResult>('durable-growth', job, { flags, limitMs: 7_200_000 })).result
}

async function measure(store: StoreAt, processes: number, keys: number): Promise<string[]> {
  await clearStore(store)
  const workKeys = Math.min(keys, mostWork)
  const filled = store.kind === 'postgres' ? Math.max(0, keys - mostAdds) : 0
  if (filled > 0) await fillStore(store, filled)
  const job = { store, keys, filled, workKeys }
  const add = await run({ ...job, task: 'add' })
  const works = await Promise.all(Array.from({ length: processes }, () => run({ ...job, task: 'work' })))
  const bytes = await bytesOf(store)
  const read = workKeys === keys ? await run({ ...job, task: 'read' }) : undefined
  await clearStore(store)
  const mean = (pick: (result: GrowthResult) => number) => works.reduce((sum, one) => sum + pick(one), 0) / processes
  const pair = (one: Pick<GrowthResult, 'first' | 'last'>, share = 1) =>
    `${(one.first.wall / share).toFixed(0)}, ${(one.last.wall / share).toFixed(0)} (${one.first.cpu}, ${one.last.cpu})`
  const submit = {
    first: { wall: mean(({ first }) => first.wall), cpu: Math.round(mean(({ first }) => first.cpu)) },
    last: { wall: mean(({ last }) => last.wall), cpu: Math.round(mean(({ last }) => last.cpu)) },
  }
  const seconds = Math.max(...works.map((work) => work.seconds))
  const peakOf = (results: readonly GrowthResult[]) =>
    Math.max(...results.map(({ peakMegabytes }) => peakMegabytes)).toFixed(0)
  const row = [
    store.kind,
    String(processes),
    keys.toLocaleString('en'),
    workKeys.toLocaleString('en'),
    pair(add),
    pair(submit, processes),
    (workKeys / seconds).toFixed(0),
    read === undefined ? '' : ((read.seconds / keys) * 1e6).toFixed(0),
    Math.max(...works.map(({ progressMs }) => progressMs)).toFixed(1),
    [peakOf([add]), peakOf(works), ...(read === undefined ? [] : [peakOf([read])])].join(', '),
    (bytes / keys).toFixed(0),
    loadavg()[0]?.toFixed(1) ?? '',
  ]
  console.error(row.join(' | '))
  return row
}

const rows: string[][] = []
for (const { store, processes } of stores) {
  for (const keys of sizes) rows.push(await measure(store, processes, keys))
}

await report(
  'durable-growth',
  [
    'A batch of `@modelrun/durable` whose service responds at once. Keys are hashes, so they come in no order; a prompt has 70 letters, an output one file. Times of an add, and of a submit (lock, budget, submit, note of the job, end; polls and outcomes continue beside it), are microseconds for one of the first and of the last thousand keys, over all processes; in brackets the processor time of one process.',
    table(
      [
        'store',
        'processes',
        'keys',
        'worked',
        'add, µs: first, last',
        'submit, µs: first, last',
        'keys a second',
        'read a result, µs',
        'progress(), ms',
        'peak memory of a process, MB: add, work, read',
        'bytes a key',
        'load',
      ],
      rows,
    ),
    'Load: of the last minute; the machine has two cores. With a load above two, ratios say something, and times little.',
  ],
  { packages: [], rowNames: ['store', 'keys'] },
)
