/**
 * `npm run chaos`: the chaos test at full size; then, with nothing going wrong, the times until deliveries are answered,
 * which is all that `--jobs 0` does. Prints a table. Exit code 1: a job was lost, completed twice or worked on twice.
 */
import { parseArgs } from 'node:util'
import { needs } from '../services/programs.ts'
import type { Violation } from './audit.ts'
import { measureAcks, percentile } from './measure-acks.ts'
import { describeViolations } from './report.ts'
import { type ChaosResult, runChaos } from './run-chaos.ts'
import { STORES, type StoreKind, withStore } from './with-store.ts'

/** Jobs of the run that measures answers, and how fast they come. */
const ACKS = { jobs: 3_000, deliveriesPerSecond: 100 } as const

const COLUMNS = [
  'store',
  'jobs',
  'deliveries',
  'dropped',
  'recovered',
  'deaths',
  'lost',
  'twice',
  'overlaps',
  'p50 ack ms',
  'p99 ack ms',
  'seconds',
]

async function main(): Promise<void> {
  const { stores, jobs, seed } = readOptions()
  // What was started ends when this process exits, and not when a signal ends it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  console.log(`Seed ${seed}\n`)
  console.log(row(COLUMNS))
  console.log(row(COLUMNS.map(() => '---')))
  for (const kind of stores) {
    const { isMissing, note } = needs(...(STORES.get(kind) ?? []))
    if (isMissing) console.error(`${kind}${note}`)
    else await runStore(kind, jobs, seed)
  }
  console.log(
    `\nAcks: ${ACKS.deliveriesPerSecond} deliveries a second, by ${ACKS.jobs} jobs of which nothing kills the process.`,
  )
}

async function runStore(kind: StoreKind, jobs: number, seed: number): Promise<void> {
  const result = await withStore(kind, (store) => runChaos({ store, jobs, seed }))
  const acksMs = await withStore(kind, (store) => measureAcks({ store, seed, ...ACKS }))
  console.log(row([kind, ...cellsOf(result, acksMs)]))
  const failure = describeViolations(kind, result)
  if (failure === undefined) return
  console.error(failure)
  process.exitCode = 1
}

function cellsOf({ violations, ...result }: ChaosResult, acksMs: readonly number[]): (number | string)[] {
  const count = (...kinds: Violation['kind'][]) => violations.filter(({ kind }) => kinds.includes(kind)).length
  return [
    result.jobs,
    result.deliveries,
    result.dropped,
    result.dropped - count('not_recovered'),
    result.deaths,
    count('lost'),
    count('completed_twice', 'taken_after_done'),
    count('overlap'),
    percentile(acksMs, 0.5).toFixed(1),
    percentile(acksMs, 0.99).toFixed(1),
    Math.round(result.seconds),
  ]
}

function row(cells: readonly (number | string)[]): string {
  return `| ${cells.map((cell) => cell.toLocaleString('en')).join(' | ')} |`
}

function readOptions(): { stores: StoreKind[]; jobs: number; seed: number } {
  const { values } = parseArgs({
    options: { jobs: { type: 'string' }, store: { type: 'string' }, seed: { type: 'string' } },
  })
  const stores = [...STORES.keys()].filter((kind) => values.store === undefined || values.store === kind)
  if (stores.length === 0) throw new Error(`--store must be one of ${[...STORES.keys()].join(', ')}.`)
  const jobs = wholeNumber('jobs', values.jobs ?? '10000')
  return { stores, jobs, seed: wholeNumber('seed', values.seed ?? String(Date.now() % 1_000_000)) }
}

function wholeNumber(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new Error(`--${name} must be a whole number, not ${text}.`)
}

await main()
