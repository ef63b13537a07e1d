import type { Core } from '../core.ts'
import { AbortedError, DeadlineExceededError, type EndedWaitFields } from '../errors/transport-errors.ts'
import { openScope } from '../scope.ts'
import { cancelJobOperation } from './cancel-job.ts'
import type { JobHandle } from './job-handle.ts'
import type { EarlyEnd, LastSeen } from './polling/job-watch.ts'
import { DEFAULT_DEADLINE_MS, type WaitOptions } from './wait-options.ts'

/** How long a cancellation after an early end may take. */
const CANCEL_TIMEOUT_MS = 5_000

/** A wait that its signal or deadline ended. */
export interface EndedWait {
  core: Core
  job: JobHandle
  options: WaitOptions
  end: EarlyEnd
  seen: LastSeen
  /** The service named the job to this client. */
  isConfirmed: boolean
}

/** The error for a wait that ended early; what the policy says happens to the job. */
export function endOfWait(wait: EndedWait): AbortedError | DeadlineExceededError {
  const { core, job, options, end, seen } = wait
  const { state, failure } = seen
  const isDeadline = end === 'deadline'
  const policy = isDeadline ? options.onDeadline : options.onAbort
  const what = isDeadline
    ? `did not finish within deadlineMs (${options.deadlineMs ?? DEFAULT_DEADLINE_MS} ms)`
    : 'was still running when the caller aborted the wait'
  const status = state === undefined ? '' : `; its last status is ${state.status}`
  const failed = isDeadline && failure ? '; the last look at it failed: see `error.cause`' : ''
  const then =
    policy === 'cancel'
      ? 'Its cancellation was requested: see `error.cancellation`.'
      : 'It goes on: `error.job.result()` waits again.'
  const fields: EndedWaitFields = {
    message: `The job ${job.id} ${what}${status}${failed}. ${then}`,
    cause: isDeadline ? failure : options.signal?.reason,
    attempts: failure?.attempts ?? [],
    submission: state === undefined && !wait.isConfirmed ? 'unknown' : 'accepted',
    jobId: job.id,
    job,
    ...(policy === 'cancel' ? { cancellation: cancelInBackground(core, job.id) } : {}),
  }
  return isDeadline ? new DeadlineExceededError(fields) : new AbortedError(fields)
}

/** Best effort and bounded: the wait has ended already, and does not wait for this. */
async function cancelInBackground(core: Core, jobId: string): Promise<boolean> {
  const scope = openScope({ clock: core.options.clock, deadlineMs: CANCEL_TIMEOUT_MS })
  try {
    const { data } = await core.transport.call(cancelJobOperation(jobId), { scope, options: {} })
    return data.status === 'cancelled'
  } catch {
    return false
  } finally {
    scope.close()
  }
}
