import { at } from '../json.ts'
import { jobStatus } from '../session/jobs.ts'
import type { Owed } from '../session/ledger.ts'
import { allCancels, jobOf, type RunCall, type World } from './world.ts'

/** What may be charged or not, but all of a kind alike: what failed, was cancelled too late, or was run with another key. */
export const OPEN = [
  'failed',
  'rejected-late',
  'cancelled-late',
  'failed-cancelled',
  'of-another-key',
  'unfinished-of-another',
  'failed-of-another',
] as const

const LATE_MS = 1_000

/** How sure a charge is. */
export type Entry = 'charged' | 'free' | 'unknown' | (typeof OPEN)[number]

/** What is known of the charge of a run. */
export function entryOf(run: RunCall, world: Pick<World, 'jobs'>): Entry {
  const { response, key } = run
  if (response.status >= 300 && run.jobId === undefined) return entryOfRejected(run)
  const job = jobOf(run, world)
  const status = job?.end === undefined ? at(response.json, '/status') : jobStatus(job.end)
  if (key.kind === 'open' || status === 'cancelled') return 'free'
  const isCancelled = (job === undefined ? [] : allCancels(job)).some((cancel) => cancel.status < 300)
  if (status === 'failed') return entryOfFailed(run, isCancelled)
  const isDone = status === 'succeeded' || status === 'completed'
  if (key.kind !== 'full' && !isDone) return isCancelled ? 'free' : 'unfinished-of-another'
  if (key.kind !== 'full') return 'of-another-key'
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

export function owedBy(world: Pick<World, 'jobs' | 'sentRuns'>): Owed {
  const owed = { ended: 0, open: 0 }
  for (const run of world.sentRuns) {
    const entry = entryOf(run, world)
    if (entry !== 'free') owed[entry.startsWith('un') ? 'open' : 'ended'] += run.price ?? 0
  }
  return owed
}
