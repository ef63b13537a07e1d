import { at } from '../json.ts'
import { saysCancelled } from '../session/actions.ts'
import { isProviderFailure } from './error-members.ts'
import { allCancels, type JobStory, jobOf, type RunCall, type World } from './world.ts'

const LATE_MS = 1_000

/**
 * What is known of the charge of a run: `charged`, `free`, `unknown`, or why it may be charged or not, all that are alike in the
 * same way: what failed, was cancelled too late, or was run with another key.
 */
export function entryOf(run: RunCall, world: World): string {
  const { response, key } = run
  if (response.status >= 300 && run.jobId === undefined) return entryOfRejected(run)
  const job = jobOf(run, world)
  const isSaid = job?.cancels.some(saysCancelled)
  const delivered = at(run.endpoint?.deliveries[0]?.json, '/status')
  const status = job?.outcome ?? (isSaid ? 'cancelled' : (delivered ?? run.says))
  if (key.kind === 'open' || status === 'cancelled') return 'free'
  const isCancelled = job !== undefined && allCancels(job).some((cancel) => cancel.status < 300)
  return entryOfAccepted(run, { status, isCancelled })
}

function entryOfAccepted({ key, isOpen }: RunCall, { status, isCancelled }: { status: unknown; isCancelled: boolean }) {
  const isOwn = key.kind === 'full'
  const late = `${isCancelled ? ', cancelled' : ''}${isOwn ? '' : ', of another'}`
  if (status === 'failed') return `${isOpen ? 'rejected late' : 'failed'}${late}`
  if (status === 'succeeded' || status === 'completed') return late === '' ? 'charged' : `done${late}`
  return isOwn ? 'unknown' : isCancelled ? 'free' : 'unfinished'
}

/** A run that was waited for and rejected late, or with the code of the provider, may have been processed; so may one that was to fail. */
function entryOfRejected({ response, shouldFail, isOpen, mode, endpoint }: RunCall): string {
  const hasFailed = isProviderFailure(response.json)
  // A webhook_url that is none may be left out.
  const isLate = response.durationMs > LATE_MS && !mode.startsWith('async') && endpoint === undefined
  if (!isOpen && (hasFailed || (shouldFail && isLate && response.status >= 500))) return 'failed'
  if (!hasFailed && response.status < 500 && !isLate && !(shouldFail && mode === 'sync')) return 'free'
  return shouldFail ? 'failed late' : 'rejected late'
}

/** What runs may cost by what is known of them: those that are over, and those that may still be charged. */
export function owedBy(world: World): { ended: number; open: number } {
  const owed = { ended: 0, open: 0 }
  for (const run of world.sentRuns) {
    const entry = entryOf(run, world)
    if (entry !== 'free') owed[entry.startsWith('un') ? 'open' : 'ended'] += run.price ?? 0
  }
  return owed
}

/** Runs that had ended when they were cancelled, by their cancels: what that does, also to their charge, is open (section 3). */
export function refundedIn(world: World, isIn: (cancel: Pick<RunCall, 'response'>) => boolean): RunCall[] {
  const isRefunded = (job: JobStory) =>
    entryOf(job.run, world) !== 'free' &&
    allCancels(job).some((response) => response.status < 300 && isIn({ response }))
  return world.jobs.filter(isRefunded).map(({ run }) => run)
}

/**
 * What the runs after an exchange cost: `undefined` where one may be charged or not, `failed` where one did or was rejected late, `running` while one continues. Those of other
 * keys may be of another account, and are not waited for.
 */
export function priceSince(world: World, after: number): number | undefined | 'failed' | 'running' {
  const known = world.sentRuns.map((run) => ({ run, entry: entryOf(run, world) }))
  if (known.some(({ run, entry }) => run.key.kind === 'full' && entry === 'unknown')) return 'running'
  const isNew = ({ response }: Pick<RunCall, 'response'>) => response.exchange.id > after
  if (known.some(({ run, entry }) => isNew(run) && /^failed|^rejected late$/.test(entry))) return 'failed'
  if (refundedIn(world, isNew).length > 0) return undefined
  let price = 0
  for (const { run, entry } of known.filter((one) => isNew(one.run))) {
    if (entry === 'free') continue
    if (entry !== 'charged' || run.price === undefined) return undefined
    price += run.price
  }
  return price
}
