import { sleep, systemClock, unlessAborted } from '@modelrun/kit'
import type { BatchWorkers } from './batch-workers.ts'
import { abortedCall, readProgress } from './read-runs.ts'
import type { RunsProgress } from './run-types.ts'
import { patiently, type RunsContext } from './runs-context.ts'

/** Options of `runs.sweep`. */
export interface SweepOptions {
  /** Longest time in which something starts, in milliseconds. What runs then is waited for. Default 20,000. */
  forMs?: number | undefined
  /** Ends the sweep at once, with an AbortedError. What runs then is stored all the same. */
  signal?: AbortSignal | undefined
}

const CHECK_MS = 100
/** A task that is being locked is neither due nor running for a moment. */
const IDLE_CHECKS = 3
/** What is due sooner is waited for, such as the first poll of a run that was just sent. */
const SOON_MS = 600

/** Works what is due, until nothing is due any more or the time is over. Returns the progress then. */
export async function sweepRuns(
  { forMs = 20_000, signal }: SweepOptions,
  workers: BatchWorkers,
): Promise<RunsProgress> {
  const { context, isRunning } = workers
  const user = {}
  const endAt = performance.now() + forMs
  const left = () => Math.max(0, endAt - performance.now())
  const untilIdle = async () => {
    for (let idle = 0; idle < IDLE_CHECKS && left() > 0 && !signal?.aborted; ) {
      await sleep(systemClock, Math.min(CHECK_MS, left()))
      idle = isRunning() || (await patiently(() => isDueSoon(context))) ? 0 : idle + 1
    }
  }
  const sweep = async () => {
    workers.use(user)
    // Both have ended when the sweep has, also when one of them fails.
    const ends = await Promise.allSettled([untilIdle(), context.inbox?.sweep({ forMs, signal })])
    await workers.release(user)
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    return patiently(() => readProgress(context))
  }
  return unlessAborted(sweep, signal, (reason) => {
    // Also when the store never responds.
    void workers.release(user)
    throw abortedCall(reason)
  })
}

/** What waits for the end of a pause must not keep a function alive, nor what other processes run. */
async function isDueSoon({ engine, queues }: RunsContext): Promise<boolean> {
  for (const queue of [queues.submit, queues.poll]) {
    const ms = await engine.msUntilDue(queue)
    if (ms !== undefined && ms < SOON_MS && !(await engine.isPaused(queue))) return true
  }
  return false
}
