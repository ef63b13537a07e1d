import type { Job } from '@modelrun/contract'
import type { Core } from '../core.ts'
import { isModelRunError } from '../errors/guards.ts'
import type { ModelRunError } from '../errors/model-run-error.ts'
import { AbortedError, DeadlineExceededError, type EndedWaitFacts } from '../errors/transport-errors.ts'
import { positive } from '../options.ts'
import { outcomeOfJob, type RunResult, toResult } from '../runs/run-result.ts'
import { DEADLINE, openScope, type Scope } from '../scope.ts'
import { cancelJobOperation } from './cancel-job.ts'
import type { JobHandle } from './job-handle.ts'
import { pollJob } from './poll-job.ts'
import { DEFAULT_DEADLINE_MS, type WaitOptions } from './wait-options.ts'

/** How long a cancellation after an early end may take. */
const CANCEL_TIMEOUT_MS = 5_000

/** The job that is waited for, and what is known of the wait. */
export interface Wait {
  core: Core
  job: JobHandle
  scope: Scope
  options: WaitOptions
  /** Milliseconds before the first look at the job. */
  firstDelayMs: number
}

/** Waits in a scope of its own. @throws As {@link waitInScope} */
export async function waitForJob(core: Core, job: JobHandle, options: WaitOptions): Promise<RunResult> {
  const scope = openWaitScope(core, options)
  try {
    return await waitInScope({ core, job, scope, options, firstDelayMs: 0 })
  } finally {
    scope.close()
  }
}

/** The scope of a wait: the caller's signal and one deadline over everything. @throws ConfigurationError */
export function openWaitScope(core: Core, { signal, deadlineMs = DEFAULT_DEADLINE_MS }: WaitOptions): Scope {
  return openScope({ clock: core.options.clock, signal, deadlineMs: positive('deadlineMs', deadlineMs) })
}

/**
 * Polls a job to its end.
 *
 * @throws JobFailedError, JobCancelledError, AbortedError, DeadlineExceededError, ApiError (401, 403, 404),
 *   InvalidResponseError
 */
export async function waitInScope(wait: Wait): Promise<RunResult> {
  const { job, options } = wait
  let last: Job | undefined
  for await (const state of watchInScope(wait)) {
    last = state
    options.onStatus?.(state)
  }
  if (last === undefined) throw new TypeError('A poll loop ended without a state.')
  return toResult(wait.core, outcomeOfJob({ jobId: job.id, modelId: job.modelId, requestId: job.requestId }, last))
}

/** Yields each new state of a job until it has finished. @throws As {@link waitInScope}, but for the job's own end */
export async function* watchInScope(wait: Wait): AsyncGenerator<Job, void, undefined> {
  const { core, job, scope, options, firstDelayMs } = wait
  const seen: LastSeen = {}
  const onLook = (failure: ModelRunError | undefined) => {
    seen.failure = failure
  }
  try {
    for await (const state of pollJob(job.id, { core, scope, options, firstDelayMs, onLook })) {
      seen.status = state.status
      yield state
    }
  } catch (error) {
    throw scope.signal.aborted ? endOfWait(wait, error, seen) : error
  }
}

/** What a wait last saw of its job. */
interface LastSeen {
  status?: string
  /** Why the last look failed, when it did. */
  failure?: ModelRunError | undefined
}

/** The error for a wait that its signal or deadline ended. */
function endOfWait(wait: Wait, error: unknown, seen: LastSeen): AbortedError | DeadlineExceededError {
  const { job, scope, options } = wait
  const isDeadline = scope.signal.reason === DEADLINE
  const policy = (isDeadline ? options.onDeadline : options.onAbort) ?? 'detach'
  const what = isDeadline
    ? `did not finish within deadlineMs (${scope.deadlineMs} ms)`
    : 'was still running when the caller aborted the wait'
  const status = seen.status === undefined ? '' : `; its last status is ${seen.status}`
  const failure = isDeadline && seen.failure ? '; the last look at it failed: see `error.cause`' : ''
  const then =
    policy === 'cancel'
      ? 'Its cancellation was requested: see `error.cancellation`.'
      : 'It goes on: `error.job.result()` waits again.'
  const facts: EndedWaitFacts = {
    message: `The job ${job.id} ${what}${status}${failure}. ${then}`,
    cause: isDeadline ? seen.failure : scope.signal.reason,
    attempts: isModelRunError(error) ? error.attempts : (seen.failure?.attempts ?? []),
    submission: 'accepted',
    jobId: job.id,
    job,
    ...(policy === 'cancel' ? { cancellation: cancelInBackground(wait.core, job.id) } : {}),
  }
  return isDeadline ? new DeadlineExceededError(facts) : new AbortedError(facts)
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
