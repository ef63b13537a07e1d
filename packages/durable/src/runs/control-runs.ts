import { sleep, systemClock } from '@modelrun/kit'
import { ConflictError, type Job } from 'modelrun'
import { countAttempt } from './add-run.ts'
import { eachRun, OPEN_STATES, pagesOf } from './list-runs.ts'
import { isPaused, pauseRuns, resumeRuns } from './pauses.ts'
import { leaveUnknown } from './poll-run.ts'
import { latestAttempt } from './read-runs.ts'
import { cancelledBefore, isEnded, outcomeOf, type Run, type SubmitData } from './run-types.ts'
import type { RunsContext } from './runs-context.ts'
import { decide, FIRST_WAIT_MS, resubmitsOf, settleEnd, storeOutcome, workNow } from './runs-context.ts'
import { endCancelled } from './submit-run.ts'

/**
 * What a cancellation could do.
 *
 * - `cancelled`: it will never be sent, or the service has cancelled its job; nothing is charged
 * - `ended`: it had ended before, or the service does not cancel it any more; it is charged as it ended
 * - `sending`: it is being sent right now, or its cancel is under way; cancel it again
 * - `unknown`: it may have been sent, and its job is not known: see `resolve`. A resubmit that waits is never sent, and the job of one that
 *   was sent is cancelled
 * - `missing`: it was never added
 */
export type Cancellation = 'cancelled' | 'ended' | 'sending' | 'unknown' | 'missing'

/** How long a cancellation waits for a run that is being sent. */
const LONGEST_WAIT_MS = 5_000

export async function cancelRun(key: string, context: RunsContext): Promise<Cancellation> {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    const done = await decide(key, (guarded) => cancelLatest(key, guarded), context)
    if (done !== 'sending' || performance.now() > giveUpAt) return done
    await sleep(systemClock, waitMs)
  }
}

async function cancelLatest(key: string, context: RunsContext): Promise<Cancellation> {
  const attempt = await latestAttempt(key, context)
  if (attempt === undefined) return 'missing'
  const { id, run } = attempt
  if (run.state === 'cancelled') {
    // An earlier call may have ended before it had stored all of it.
    await settleEnd(id, 'cancelled', context)
    await endTasks(id, context)
    return 'cancelled'
  }
  if (isEnded(run)) return 'ended'
  if (run.jobId !== undefined) return cancelJob(id, run.jobId, { run, context })
  if (run.state === 'unknown') return 'unknown'
  return (await cancelWaiting(id, run, context)) ? 'cancelled' : 'sending'
}

/**
 * Cancels a run that is not being sent. The request is stored first, and is read by the sender, after it has locked the task: if
 * the task is not locked now, it is never sent.
 */
async function cancelWaiting(id: string, run: SubmitData, context: RunsContext): Promise<boolean> {
  const { engine, queues } = context
  // A retry that died may not have counted it, and it is never worked.
  await countAttempt(id, context)
  await engine.add(queues.cancels, id, { data: null })
  const { state } = (await engine.get(queues.submit, id)) ?? {}
  if (state !== 'waiting' || (await resubmitsOf(id, context)) > 0) {
    // Of a process that died, or a resubmit: it is cancelled if it is not locked, and the next read says how the run is then.
    await workNow('submit', id, { handler: (task) => endCancelled(task, context), context })
    return false
  }
  await storeOutcome(id, cancelledBefore(run), context)
  // So that it takes no place in the queue. Otherwise a worker ends it.
  await engine.add(queues.unsent, id, { data: null })
  if (!(await engine.remove(queues.submit, id))) await engine.remove(queues.unsent, id)
  return true
}

async function cancelJob(
  id: string,
  jobId: string,
  { run, context }: { run: Run; context: RunsContext },
): Promise<Cancellation> {
  let read: Job | undefined
  try {
    read = (await context.client.jobs.cancel(jobId)).job
  } catch (error) {
    // Its next poll brings the end.
    if (error instanceof ConflictError) return run.state === 'unknown' ? 'unknown' : 'ended'
    throw error
  }
  // The response to the cancel is not specified (section 4.5): only the job says how it ended.
  const outcome = outcomeOf(jobId, read ?? (await context.client.jobs.get(jobId)))
  if (outcome === undefined) return 'sending'
  if (await leaveUnknown(id, outcome, context)) return 'unknown'
  await storeOutcome(id, outcome, context)
  if (outcome.state !== 'cancelled') return 'ended'
  await endTasks(id, context)
  return 'cancelled'
}

async function endTasks(id: string, { engine, queues }: RunsContext): Promise<void> {
  await engine.remove(queues.poll, id)
  // A submit that was given up ends without sending, because the run has ended.
  await engine.replay(queues.submit, id)
}

/** How many runs a `cancelAll` met, by what it could do. `failed`: the service did not respond; call it again. */
export type Cancellations = Readonly<Record<Exclude<Cancellation, 'missing'> | 'failed', number>>

/** Cancels all runs that have not ended, in a batch that is paused meanwhile. A pause of the user stays. */
export async function cancelAllRuns(context: RunsContext): Promise<Cancellations> {
  const { queues, onError } = context
  const counts = { cancelled: 0, ended: 0, sending: 0, unknown: 0, failed: 0 }
  const cancel = async (key: string) => {
    const done = await cancelRun(key, context).catch((error) => {
      onError(error)
      return 'failed' as const
    })
    if (done !== 'missing') counts[done] += 1
  }
  const wasPaused = await isPaused(context)
  await pauseRuns(context)
  const seen = new Set<string>()
  for (const queue of [queues.submit, queues.poll]) {
    for (const state of OPEN_STATES) {
      for await (const page of pagesOf(queue, { state }, context)) await eachRun(page, seen, cancel)
    }
  }
  if (!wasPaused) await resumeRuns(context)
  return counts
}
