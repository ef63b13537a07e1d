/**
 * `npm run chaos`: results and batches whose processes and stores have faults, on each engine. Prints a line of figures for
 * each. Exit code 1: something happened that must never happen.
 */
import { parseArgs } from 'node:util'
import { needs } from '../../packages/integration-tests/src/services/programs.ts'
import { measureCalm } from './measure-calm.ts'
import { measureTakeover } from './measure-takeover.ts'
import {
  describeBatch,
  describeCalm,
  describeInbox,
  describeMoments,
  describeTakeover,
  describeViolations,
} from './report.ts'
import { runBatchChaos } from './run-batch.ts'
import { runInboxChaos } from './run-inbox.ts'
import { runMoments } from './run-moments.ts'
import { ENGINES, type EngineKind, withStore } from './stores.ts'

/** Locks of handlers whose process is killed. */
const LOCKS_MS = [2_000, 30_000]

async function main(): Promise<void> {
  const { engines, jobs, batch, faults, calm, kills, moments, seed } = readOptions()
  // What was started ends when this process exits, and not when a signal ends it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  console.log(`Seed ${seed}`)
  for (const kind of engines) {
    const { isMissing, note } = needs(...(ENGINES.get(kind) ?? []))
    if (isMissing) console.error(`${kind}${note}`)
    if (isMissing) continue
    if (calm > 0) console.log(describeCalm(kind, await withStore(kind, (store) => measureCalm(store, calm))))
    if (kills > 0) await runTakeovers(kind, kills)
    if (jobs > 0) await runInbox(kind, jobs, seed)
    if (batch > 0) await runBatch(kind, { keys: batch, faults, seed })
    await runEachMoment(kind, moments)
  }
}

async function runTakeovers(kind: EngineKind, kills: number): Promise<void> {
  for (const lockMs of LOCKS_MS) {
    const timesMs = await withStore(kind, (store) => measureTakeover(store, { kills, lockMs }))
    console.log(describeTakeover({ kind, lockMs }, timesMs))
  }
}

async function runInbox(kind: EngineKind, jobs: number, seed: number): Promise<void> {
  const result = await withStore(kind, (store) => runInboxChaos(store, { jobs, seed }))
  console.log(describeInbox(kind, result))
  const failure = describeViolations({ kind, seed }, result)
  if (failure === undefined && result.crashes === 0) return
  console.error(failure ?? 'A receiver ended by an error that nothing caught.')
  process.exitCode = 1
}

async function runBatch(kind: EngineKind, given: Parameters<typeof runBatchChaos>[1]): Promise<void> {
  const result = await withStore(kind, (store) => runBatchChaos(store, given))
  console.log(describeBatch(kind, result))
  if (result.twice.length > 0 || result.lost.length > 0) {
    console.error(`POSTed twice: ${result.twice.join(', ')}; lost: ${result.lost.join(', ')}`)
    process.exitCode = 1
  }
}

/** A file has no connections. */
async function runEachMoment(kind: EngineKind, every: number): Promise<void> {
  if (every === 0 || kind === 'sqlite') return
  const result = await withStore(kind, (store) => runMoments(store, { every }))
  console.log(describeMoments(kind, result))
  if (result.broken.length > 0) process.exitCode = 1
}

function readOptions() {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      jobs: text,
      batch: text,
      faults: text,
      calm: text,
      kills: text,
      moments: text,
      engines: text,
      seed: text,
    },
  })
  const kinds = [...ENGINES.keys()]
  const wanted = values.engines?.split(',') ?? kinds
  const engines = kinds.filter((kind) => wanted.includes(kind))
  if (engines.length !== wanted.length) throw new Error(`--engines takes some of ${kinds.join(',')}.`)
  const jobs = wholeNumber('jobs', values.jobs ?? '10000')
  const batch = wholeNumber('batch', values.batch ?? '1000')
  const faults = wholeNumber('faults', values.faults ?? String(Math.ceil(batch / 50)))
  const calm = wholeNumber('calm', values.calm ?? '2000')
  const kills = wholeNumber('kills', values.kills ?? '8')
  const moments = wholeNumber('moments', values.moments ?? '5')
  return {
    engines,
    jobs,
    batch,
    faults,
    calm,
    kills,
    moments,
    seed: wholeNumber('seed', values.seed ?? String(Date.now() % 1_000_000)),
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new Error(`--${name} must be a whole number, not ${text}.`)
}

await main()
