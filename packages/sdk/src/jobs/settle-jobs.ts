import { createAsyncQueue } from '../async-queue.ts'
import { type Caller, showCaller } from '../http/api-promise.ts'
import type { RunResult } from '../runs/run-result.ts'
import type { ClientJob } from './client-job.ts'
import type { WaitOptions } from './job-handle.ts'
import { startWait } from './wait-for-job.ts'

/** How one of several jobs ended. `status` is that of `Promise.allSettled`. */
export type SettledJob =
  | { status: 'fulfilled'; job_id: string; value: RunResult }
  /** `reason`: what `jobs.wait` would throw for the job. */
  | { status: 'rejected'; job_id: string; reason: unknown }

/** Waits for many jobs and yields how each one ended, in the order in which they end. */
export async function* settleJobs(
  handles: readonly ClientJob[],
  { options, caller }: { options: WaitOptions; caller: Caller },
): AsyncGenerator<SettledJob, void, undefined> {
  const settled = createAsyncQueue<SettledJob>()
  const waits = handles.map((handle) => {
    const { id: job_id } = handle
    return startWait(
      handle.waitRequest(options),
      (value) => settled.push({ status: 'fulfilled', job_id, value }),
      (reason) => settled.push({ status: 'rejected', job_id, reason: showCaller(reason, caller) }),
    )
  })
  try {
    for (const _ of waits) yield await settled.next()
  } finally {
    for (const leave of waits) leave()
  }
}
