import { withinScope } from '../../shared/clock.ts'
import type { Core } from '../core.ts'
import { AbortedError, DeadlineExceededError, type EndedWaitFields } from '../errors/transport-errors.ts'
import { DEFAULT_DEADLINE_MS, type JobHandle, type WaitOptions } from '../job-handle.ts'
import { cancelJob } from './cancel-job.ts'
import { isConfirmed, type JobReference } from './job-operations.ts'
import type { EarlyEnd, HeldBack, LastSeen } from './polling/polled-jobs.ts'

/** A wait that ends before its job. */
export interface EndedWait {
  core: Core
  job: JobHandle
  reference: JobReference
  options: WaitOptions
}

/** The error for a wait that its signal or its deadline ended. Cancels the job when the policy says so. */
export function earlyEndError(
  wait: EndedWait,
  end: EarlyEnd,
  { state, failure, attempts, requestId, held }: LastSeen & { held?: HeldBack | undefined },
): AbortedError | DeadlineExceededError {
  const { core, job, reference, options } = wait
  const isDeadline = end === 'deadline'
  const policy = isDeadline ? options.onDeadline : options.onAbort
  const what = isDeadline
    ? `did not finish within deadlineMs (${options.deadlineMs ?? DEFAULT_DEADLINE_MS} ms)`
    : 'was still running when the caller aborted the wait'
  const status = state === undefined ? '' : `; its last status is ${state.status}`
  const failed = isDeadline && failure ? '; the last poll failed: see `error.cause`' : ''
  const heldBack = isDeadline && held ? describeHeldBack(held, core.options.polling.maxRequestsPerSecond) : ''
  const then =
    policy === 'cancel'
      ? 'Its cancellation was requested: see `error.cancellation`.'
      : 'It continues: `error.job.result()` waits again.'
  const fields: EndedWaitFields = {
    message: `The job ${job.id} ${what}${status}${heldBack}${failed}. ${then}`,
    cause: isDeadline ? failure : options.signal?.reason,
    attempts,
    requestId,
    status: attempts.at(-1)?.status,
    submission: state === undefined && !isConfirmed(reference) ? 'unknown' : 'accepted',
    jobId: job.id,
    job,
    ...(policy === 'cancel' ? { cancellation: cancelInBackground(core, job.id) } : {}),
  }
  return isDeadline ? new DeadlineExceededError(fields) : new AbortedError(fields)
}

function describeHeldBack(held: HeldBack, perSecond: number): string {
  if ('pauseMs' in held) return `; the service had asked for no poll in the next ${Math.ceil(held.pauseMs / 1_000)} s`
  const polls = held.polls === 0 ? 'it was never polled' : 'its next poll had to wait'
  return `; ${polls}, because ${held.jobs} jobs share ${perSecond} polls a second: raise \`polling.maxRequestsPerSecond\` or \`deadlineMs\``
}

/** Time limit of a cancellation after an early end. */
const CANCEL_TIMEOUT_MS = 5_000

/** Requests a cancellation that the wait, which has ended, does not wait for. Resolves to whether it succeeded. */
async function cancelInBackground(core: Core, jobId: string): Promise<boolean> {
  try {
    const limit = { clock: core.options.clock, deadlineMs: CANCEL_TIMEOUT_MS }
    const { data } = await withinScope(limit, (scope) => cancelJob(core, jobId, { scope, options: {} }))
    return data.status === 'cancelled'
  } catch {
    return false
  }
}
