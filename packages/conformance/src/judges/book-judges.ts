import type { Check } from '../check.ts'
import { LASTS } from '../checks/ends.ts'
import { at } from '../json.ts'
import { type Finding, judge, skip } from '../judge/finding.ts'
import { jobStatus } from '../session/jobs.ts'
import { judgeAll, type Source } from './judge-every.ts'
import { allCancels, jobOf, type RunCall, type World } from './world.ts'

const RUNS: Source<RunCall> = {
  from: LASTS,
  pick: ({ sentRuns }) => sentRuns,
  nothing: 'nothing was run',
}

/** What all runs were charged together (sections 1 and 2.1). */
export const BOOK_JUDGES: readonly Check[] = [judgeAll('charges/books-balance', RUNS, balance)]

/** What may be charged or not, but all of a kind alike: what failed, was cancelled too late, or was run with another key. */
const OPEN = [
  'failed',
  'rejected-late',
  'cancelled-late',
  'failed-cancelled',
  'of-another-key',
  'failed-of-another',
] as const

const LATE_MS = 1_000

/** How sure a charge is. */
type Entry = 'charged' | 'free' | 'unknown' | (typeof OPEN)[number]

function balance(runs: readonly RunCall[], world: World): Finding {
  const { charge } = world
  if (charge === undefined) return skip('needs readCredits: the interface does not return the balance')
  const sums = new Map<Entry, number>()
  for (const run of runs) {
    const entry = entryOf(run, world)
    if (entry === 'unknown' || (run.price === undefined && entry !== 'free'))
      return skip('a run has an end or a price that is not known', run.response)
    sums.set(entry, (sums.get(entry) ?? 0) + (run.price ?? 0))
  }
  let possible = maybeFailed(runs, world).reduce<number[]>(
    (totals, price) => [...new Set(totals.flatMap((total) => [total, total + price]))],
    [sums.get('charged') ?? 0],
  )
  for (const kind of OPEN) possible = possible.flatMap((total) => [total, total + (sums.get(kind) ?? 0)])
  const charged = charge.before - charge.after
  const expected = [...new Set(possible)].join(' or ')
  const detail = `${charged} credits were charged for ${runs.length} runs; the prices of those that succeeded are ${expected}`
  return judge(
    possible.includes(charged),
    detail,
    runs.slice(0, 20).map(({ response }) => response),
  )
}

/**
 * The prices of the rejections that may be failed jobs: a service that accepts some wrong inputs, whose jobs fail, may respond to
 * a synchronous run with the error alone.
 */
function maybeFailed(runs: readonly RunCall[], { jobs }: World): number[] {
  const acceptsSome = jobs.some(({ run, end }) => run.isOpen && end !== undefined && jobStatus(end) === 'failed')
  if (!acceptsSome) return []
  return runs.flatMap((run) => {
    const { isOpen, sync, hasWebhook, response, jobId, price = 0 } = run
    const isRejected = response.status >= 400 && jobId === undefined && entryOf(run, { jobs }) === 'free'
    return isOpen && sync !== false && !hasWebhook && isRejected ? [price] : []
  })
}

function entryOf(run: RunCall, world: Pick<World, 'jobs'>): Entry {
  const { response, key } = run
  if (response.status >= 300 && run.jobId === undefined) return entryOfRejected(run)
  const job = jobOf(run, world)
  const status = job?.end === undefined ? at(response.json, '/status') : jobStatus(job.end)
  if (key.kind === 'open' || status === 'cancelled') return 'free'
  const isCancelled = (job === undefined ? [] : allCancels(job)).some((cancel) => cancel.status < 300)
  if (status === 'failed') return entryOfFailed(run, isCancelled)
  const isDone = status === 'succeeded' || status === 'completed'
  if (key.kind !== 'full') return isDone ? 'of-another-key' : 'free'
  if (!isDone) return 'unknown'
  return isCancelled ? 'cancelled-late' : 'charged'
}

function entryOfFailed({ isOpen, key }: RunCall, isCancelled: boolean): Entry {
  if (key.kind !== 'full') return 'failed-of-another'
  if (isCancelled) return 'failed-cancelled'
  return isOpen ? 'rejected-late' : 'failed'
}

/** A run that was rejected late, or with the code of the provider, may have been processed. */
function entryOfRejected({ response, shouldFail, isOpen }: RunCall): Entry {
  const hasFailed = at(response.json, '/error/code') === 'PROVIDER_FAILURE' || response.status >= 500
  if (!isOpen && (hasFailed || (shouldFail && response.durationMs > LATE_MS))) return 'failed'
  return hasFailed || response.durationMs > LATE_MS ? 'rejected-late' : 'free'
}
