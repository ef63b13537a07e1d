import { at } from '../json.ts'
import { saysCancelled } from '../session/actions.ts'
import { isProviderFailure, jobOf, type RunCall, type World } from './world.ts'

/**
 * What is known of the charge of a run: its price is charged, nothing is, that is so of all runs that failed alike, it may be
 * either, or its job may still continue.
 */
export type Entry = 'charged' | 'free' | 'failed' | 'open' | 'running'

const LATE_MS = 1_000

export function entryOf(run: RunCall, world: World): Entry {
  const { response, key, isOpen } = run
  if (response.status >= 300 && run.jobId === undefined) return entryOfRejected(run, world)
  const status = statusOf(run, world)
  if (key.kind === 'open' || status === 'cancelled') return 'free'
  const isDone = status === 'succeeded' || status === 'completed'
  const isOver = isDone || status === 'failed'
  const isCancelled = jobOf(run, world)?.cancels.some((cancel) => cancel.status < 300) === true
  // The job of another key may be charged to another account, and its end is not waited for.
  if (key.kind !== 'full') return isCancelled && !isOver ? 'free' : 'open'
  if (!isOver) return 'running'
  // One that had ended may have been charged before its cancel.
  if (isCancelled || (status === 'failed' && isOpen)) return 'open'
  return isDone ? 'charged' : 'failed'
}

function statusOf(run: RunCall, world: World): unknown {
  const { outcome, cancels = [] } = jobOf(run, world) ?? {}
  if (outcome !== undefined) return outcome
  return cancels.some(saysCancelled) ? 'cancelled' : (at(run.endpoint?.deliveries[0]?.json, '/status') ?? run.says)
}

/** A run that was waited for and rejected late, or with the code of the provider, may have been processed; so may one that was to fail. */
function entryOfRejected(run: RunCall, { jobs }: World): Entry {
  const { response, shouldFail, isOpen, mode, endpoint } = run
  const hasFailed = isProviderFailure(response.json)
  // The service may ignore an invalid `webhook_url`.
  const isLate = response.durationMs > LATE_MS && !mode.startsWith('async') && endpoint === undefined
  if (!isOpen && (hasFailed || (shouldFail && isLate && response.status >= 500))) return 'failed'
  if (hasFailed || response.status >= 500 || isLate || (shouldFail && mode === 'sync')) return 'open'
  // A service that accepts wrong inputs, whose jobs fail, may respond to a run that waits with the error alone.
  const mayHaveFailed = isOpen && mode === 'sync' && jobs.some((job) => job.run.isOpen && job.outcome === 'failed')
  return mayHaveFailed ? 'open' : 'free'
}

/** What runs may cost by what is known of them: those that are over, and those that may still be charged. */
export function owedBy(world: World): { ended: number; open: number } {
  const owed = { ended: 0, open: 0 }
  for (const run of world.sentRuns) {
    const entry = entryOf(run, world)
    if (entry !== 'free') owed[entry === 'running' ? 'open' : 'ended'] += run.price ?? 0
  }
  return owed
}

/** Runs that had ended when they were cancelled, by their cancels: what that does, also to their charge, is open (section 3). */
export function refundedIn(world: World, isIn: (cancel: Pick<RunCall, 'response'>) => boolean): RunCall[] {
  const isRefunded = (job: World['jobs'][number]) =>
    entryOf(job.run, world) !== 'free' && job.cancels.some((response) => response.status < 300 && isIn({ response }))
  return world.jobs.filter(isRefunded).map(({ run }) => run)
}

/**
 * What the runs after an exchange cost: `undefined` where one may be charged or not, `failed` where one did or was rejected late,
 * `running` while one continues.
 */
export function priceSince(world: World, after: number): number | undefined | 'failed' | 'running' {
  const known = world.sentRuns.map((run) => ({ run, entry: entryOf(run, world) }))
  if (known.some(({ entry }) => entry === 'running')) return 'running'
  const isNew = ({ response }: Pick<RunCall, 'response'>) => response.exchange.id > after
  const entries = known.filter(({ run }) => isNew(run))
  if (entries.some(({ run, entry }) => entry === 'failed' || (entry === 'open' && run.response.status >= 300)))
    return 'failed'
  if (refundedIn(world, isNew).length > 0 || entries.some(({ entry }) => entry === 'open')) return undefined
  return entries.reduce((sum, { run, entry }) => sum + (entry === 'charged' ? (run.price ?? 0) : 0), 0)
}
