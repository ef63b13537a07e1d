import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { chance } from '../chaos/chance.ts'
import type { Broken } from './evidence.ts'
import { judge } from './judges.ts'
import { Lag } from './lag.ts'
import { NETWORKS } from './networks.ts'
import { CALLS } from './plugin.ts'
import { PLUGINS } from './plugins.ts'
import { type CellPlan, runCell } from './run-cell.ts'
import { type Service, startService } from './service.ts'

/** Longest time that this process may be late, in milliseconds. */
const MAX_LAG_MS = 100

/** A cell, and the promises that it broke. */
export interface JudgedCell extends CellPlan {
  broken: Broken[]
}

export const nameOf = ({ network, plugin, call }: CellPlan): string => `${network.name} / ${plugin.name} / ${call}`

/** A cell and what it broke, to read. */
export const describeCell = (cell: JudgedCell): string =>
  [nameOf(cell), ...cell.broken.map(({ promise, detail }) => `  ${promise}: ${detail}`)].join('\n')

/** Every cell there is. */
export function allCells(): CellPlan[] {
  return NETWORKS.flatMap((network) =>
    PLUGINS.flatMap((plugin) => (plugin.calls ?? CALLS).map((call) => ({ network, plugin, call }))),
  )
}

/** Each network with each plug-in, by one of the calls in turn; and without a plug-in by all of them. */
export function pairCells(): CellPlan[] {
  return NETWORKS.flatMap((network, row) =>
    PLUGINS.flatMap((plugin, column) => {
      const calls = plugin.calls ?? CALLS
      const inTurn = calls.filter((_, index) => column === 0 || index === (row + column) % calls.length)
      return inTurn.map((call) => ({ network, plugin, call }))
    }),
  )
}

/** Some of the cells: the same ones for the same seed. */
export function sampleCells(seed: number, count: number): CellPlan[] {
  const drawn = allCells().map((plan) => ({ plan, place: chance(seed, nameOf(plan)) }))
  return drawn
    .toSorted((one, other) => one.place - other.place)
    .slice(0, count)
    .map(({ plan }) => plan)
}

/** Runs cells, some at once, and judges them. What depends on time counts when it is seen twice. */
export async function runCells(cells: readonly CellPlan[], { concurrency = 48, onCell = () => {} } = {}) {
  const noise: string[] = []
  const hear = (event: unknown) => {
    // A batch warns of a failing store, and of a callback that throws.
    const isExpected =
      Object(event).name === 'ExperimentalWarning' || /of @modelrun.durable (met an error|failed)/.test(String(event))
    if (!isExpected) noise.push(inspect(event, { depth: 1 }))
  }
  const events = ['unhandledRejection', 'uncaughtException', 'warning'] as const
  for (const event of events) process.on(event, hear)
  const service = await startService()
  const lag = new Lag()
  const run = async (plan: CellPlan) => await runCalmly({ service, lag, plan })
  const first = await mapCalmly(cells, { concurrency, lag, work: run, onDone: onCell })
  const suspects = first.filter(({ broken }) => broken.some(mayBeLate))
  const sure = first.filter(({ broken }) => broken.length > 0 && !broken.some(mayBeLate))
  const again = await mapCalmly(suspects, { concurrency: concurrency / 4, lag, work: run, onDone: () => {} })
  await service.close()
  lag.stop()
  for (const event of events) process.off(event, hear)
  const broken = suspects.map((suspect, index) => confirm(suspect, again[index]?.broken ?? []))
  return { broken: [...sure, ...broken.filter((cell) => cell.broken.length > 0)], noise }
}

/** What a busy machine can be the reason of. */
const mayBeLate = ({ promise, detail }: Broken): boolean =>
  !['once', 'ours', 'truth'].includes(promise) || detail.startsWith('unknown, but')

/** Times depend on what else this machine does. */
function confirm(suspect: JudgedCell, again: readonly Broken[]): JudgedCell {
  const isSeen = (found: Broken) => !mayBeLate(found) || again.some(({ promise }) => promise === found.promise)
  return { ...suspect, broken: suspect.broken.filter(isSeen) }
}

interface Job {
  service: Service
  lag: Lag
  plan: CellPlan
}

/** A cell says nothing when this process was so busy that its short time limits passed: it runs again. */
async function runCalmly({ service, lag, plan }: Job, attempts = 4): Promise<JudgedCell> {
  const startedAt = performance.now()
  const evidence = await runCell(service, lag, plan)
  if (lag.longest(startedAt) > MAX_LAG_MS && attempts > 1) return runCalmly({ service, lag, plan }, attempts - 1)
  return { ...plan, broken: judge(evidence) }
}

interface CalmMap<Result> {
  concurrency: number
  lag: Lag
  work: (plan: CellPlan) => Promise<Result>
  onDone: () => void
}

/** Maps with so many at once as this process can do without being late. */
async function mapCalmly<Result>(plans: readonly CellPlan[], { concurrency, lag, work, onDone }: CalmMap<Result>) {
  const results: Result[] = []
  const waiting = plans.entries()
  const worker = async (first: number) => {
    await sleep(first * 20)
    for (const [index, plan] of waiting) {
      while (lag.longest(performance.now() - 200) > MAX_LAG_MS / 2) await sleep(50)
      results[index] = await work(plan)
      onDone()
    }
  }
  await Promise.all(Array.from({ length: Math.ceil(concurrency) }, (_, index) => worker(index)))
  return results
}
