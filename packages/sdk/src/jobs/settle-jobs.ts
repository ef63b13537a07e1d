import { createAsyncQueue } from '../async-queue.ts'
import type { Core } from '../core.ts'
import { type Caller, showCaller } from '../errors/caller-stack.ts'
import type { RunResult } from '../runs/run-result.ts'
import { JobHandle } from './job-handle.ts'
import { type JobJson, readJobReference } from './job-reference.ts'
import { startWait } from './wait-for-job.ts'
import type { WaitOptions } from './wait-options.ts'

/** How one of several jobs ended, told apart by `status` as with `Promise.allSettled`. */
export type SettledJob =
  | { status: 'fulfilled'; job_id: string; value: RunResult }
  /** `reason`: what `jobs.wait` would throw for the job. */
  | { status: 'rejected'; job_id: string; reason: unknown }

/** A job by its id, its JSON or its handle. */
export type JobSource = string | JobJson | JobHandle

/** @throws ConfigurationError when it is no job */
export function jobHandleOf(core: Core, source: JobSource): JobHandle {
  return source instanceof JobHandle ? source : new JobHandle(core, readJobReference(source))
}

/** Waits for many jobs and yields how each one ended, in the order in which they end. */
export async function* settleJobs(
  handles: readonly JobHandle[],
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
