import type { Check } from '../check.ts'
import { judge, observe, skip } from '../finding.ts'
import { at, groupBy } from '../json.ts'
import { FIRST } from '../scenarios/runs.ts'
import type { SessionParts } from '../session/session.ts'
import { judgeEvery, type Source } from './judge-world.ts'
import { isProviderFailure, jobOf, type RunCall, type World } from './world.ts'

/** What is known of the charge of a run: its price, nothing, the same share of all that failed, either, or its job may still continue. */
type Entry = 'charged' | 'free' | 'failed' | 'open' | 'running'

const LATE_MS = 1_000

const BOOKS: Source<{ charged: number; runs: readonly RunCall[] }> = {
  from: Object.values(FIRST),
  pick: ({ session: { credits }, sentRuns: runs }) => {
    const charged = Number(credits.before) - Number(credits.after)
    return Number.isNaN(charged) || runs.length === 0 ? [] : [{ charged, runs }]
  },
  nothing: 'the credits left were not read; needs readCredits: the interface does not return the balance',
}

/** The credits before everything was run, less those once they no longer change, are the prices of what succeeded (sections 1 and 2.1). */
export const CHARGE_JUDGES: readonly Check[] = [
  judgeEvery('charges/every-run', BOOKS, ({ charged, runs }, world) => {
    if (runs.some((run) => run.price === undefined && entryOf(run, world) !== 'free'))
      return skip('a run has a price that is not known')
    const sums = new Set([0, 1].flatMap((share) => [...possibleCharges(runs, world, share)]))
    const kinds = groupBy(runs, (run) => `${entryOf(run, world)} at ${run.price ?? 'an unknown price'}`)
    const counts = [...kinds].map(([kind, same]) => `${same.length} ${kind}`).join(', ')
    const detail = `${charged} credits were charged for ${runs.length} runs (${counts})`
    // The last of many runs prove enough.
    return judge(sums.has(charged), `${detail}; expected ${[...sums].join(' or ')}`, runs.slice(-20))
  }),
  judgeEvery('settings/creditsOfFailedRun', BOOKS, ({ charged, runs }, world) => {
    const failed = runs.filter((run) => entryOf(run, world) === 'failed' && (run.price ?? 0) > 0)
    if (failed.length === 0) return skip('needs a model and an input that fail at the provider')
    const [none, price] = [0, 1].map((share) => possibleCharges(runs, world, share).has(charged))
    if (none === price) return skip('the charges of other runs are open, or wrong')
    return observe(none ? 'none' : 'price', `failed runs are charged ${none ? 'nothing' : 'their price'}`, failed)
  }),
]

/** What may be charged for runs, by all that is known of them. Either all that failed are charged, or none. */
function possibleCharges(runs: readonly RunCall[], world: World, share: number): Set<number> {
  let sums = new Set([0])
  for (const run of runs) {
    const [entry, price = 0] = [entryOf(run, world), run.price]
    const certain = entry === 'charged' ? price : entry === 'failed' && share * price
    const isOpen = entry === 'open' || entry === 'running'
    sums = new Set([...sums].flatMap((sum) => (isOpen ? [sum, sum + price] : [sum + Number(certain)])))
  }
  return sums
}

function entryOf(run: RunCall, world: World): Entry {
  const { response, key, isOpen } = run
  if (response.status >= 300 && run.jobId === undefined) return entryOfRejected(run, world)
  const { outcome, cancels = [] } = jobOf(run, world) ?? {}
  const isCancelled = cancels.some((cancel) => cancel.status < 300)
  const status = outcome ?? at(run.endpoint?.deliveries[0]?.json, '/status') ?? run.says
  if (status === 'cancelled') return 'free'
  const isDone = status === 'succeeded' || status === 'completed'
  // The end of a job that is not read any more after its cancel. The job of another key may be charged to another account.
  if (!isDone && status !== 'failed') return isCancelled ? 'free' : 'running'
  // One that had ended may have been charged before its cancel.
  if (key.kind !== 'full' || isCancelled || (status === 'failed' && isOpen)) return 'open'
  return isDone ? 'charged' : 'failed'
}

/** A run that was waited for and rejected late, or with the code of the provider, may have been processed; so may one that was to fail. */
function entryOfRejected({ response, shouldFail, isOpen, mode }: RunCall, { jobs }: World): Entry {
  const hasFailed = isProviderFailure(response.json)
  const isLate = response.durationMs > LATE_MS && mode === 'sync'
  if (!isOpen && (hasFailed || (shouldFail && isLate))) return 'failed'
  // A service that accepts wrong inputs, whose jobs fail, may respond to a run that waits with the error alone.
  const mayHaveFailed = isOpen && mode === 'sync' && jobs.some((job) => job.run.isOpen && job.outcome === 'failed')
  return hasFailed || response.status >= 500 || isLate || mayHaveFailed ? 'open' : 'free'
}

/** What is owed by all that is known. A service may say that a run has cost more than its price. */
export function owedBy(world: World): ReturnType<SessionParts['owed']> {
  const runs = world.sentRuns.map((run) => ({
    entry: entryOf(run, world),
    price: run.price ?? 0,
    cost: costOf(run, world),
  }))
  const extra = Math.max(0, ...runs.map(({ price, cost }) => cost - price))
  const owed = { ended: 0, open: 0, extra }
  for (const { entry, price, cost } of runs) {
    if (entry === 'running') owed.open += price + extra
    else if (entry !== 'free') owed.ended += cost
  }
  return owed
}

function costOf(run: RunCall, world: World): number {
  const bodies = [run.response, ...(jobOf(run, world)?.reads ?? []), ...(run.endpoint?.deliveries ?? [])]
  const said = bodies.flatMap(({ json }) => [at(json, '/credits_used'), at(json, '/data/credits_used')])
  return Math.max(run.price ?? 0, ...said.filter((credits) => typeof credits === 'number'))
}
