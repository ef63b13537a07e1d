import type { Job, RunCompleted } from '@modelrun/contract'
import { copyJson, defined, numberIn, stringIn } from '@modelrun/kit'
import { createAsyncQueue } from '../../shared/async-queue.ts'
import { withinScope } from '../../shared/clock.ts'
import type { Core } from '../core.ts'
import { JobCancelledError, JobFailedError, noOutputError } from '../errors/job-errors.ts'
import { AbortedError, DeadlineExceededError, type EndedWaitFields } from '../errors/transport-errors.ts'
import { DEFAULT_DEADLINE_MS, type JobHandle, type WaitOptions } from '../job-handle.ts'
import { notify } from '../observe/logger.ts'
import { cancelJob } from './cancel-job.ts'
import { isConfirmed, type JobReference, NO_REASON } from './job-operations.ts'
import type { EarlyEnd, LastSeen, Subscriber } from './polling/polled-jobs.ts'
import type { RunResult } from './run-result.ts'

/** A wait for a job. */
export interface WaitRequest {
  core: Core
  job: JobHandle
  reference: JobReference
  options: WaitOptions
  /** When the wait ends, in milliseconds of the client's clock. Default: after `options.deadlineMs`. */
  endsAt?: number | undefined
  /** Starts to listen to a webhook, which delivers the end, usually before a poll finds it. Returns a function that stops it. */
  listen?: ((jobId: string, deliver: (end: Job) => void) => () => void) | undefined
}

/**
 * Waits for a job's end.
 *
 * @throws JobFailedError, JobCancelledError, AbortedError, DeadlineExceededError, ApiError (401, 403, 404),
 *   InvalidResponseError, ConfigurationError
 */
export function waitForJob(request: WaitRequest): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    startWait(request, resolve, reject)
  })
}

/** Starts a wait. Returns a function that ends it without settling it. @throws ConfigurationError */
export function startWait(
  request: WaitRequest,
  resolve: (result: RunResult) => void,
  reject: (error: unknown) => void,
): () => void {
  const { core, job, reference, options, listen } = request
  const { onStatus } = options
  let stopReceiver = () => {}
  const wait = joinWait(request, {
    // The client that submitted the job knows its state. Other clients poll at once.
    isEager: reference.seenAt === undefined,
    wantsStates: onStatus !== undefined,
    onState: (state, isEnd, seen) => {
      if (onStatus) notify(core.options.log, 'onStatus', () => onStatus(copyJson(state), job))
      if (!isEnd) return
      stopReceiver()
      try {
        resolve(outcomeOfJob(reference, copyJson(state), seen))
      } catch (error) {
        reject(error)
      }
    },
    onError: (error) => {
      stopReceiver()
      reject(error)
    },
  })
  if (listen && !wait.isOver()) {
    const stop = listen(job.id, wait.deliver)
    // The delivery may have come before.
    if (wait.isOver()) stop()
    else stopReceiver = stop
  }
  return () => {
    if (wait.leave()) stopReceiver()
  }
}

/** Yields each new state of a job until it has finished. @throws As `waitForJob`, but for the job's own end */
export async function* watchJob(request: WaitRequest): AsyncGenerator<Job, void, undefined> {
  const changes = createAsyncQueue<{ state: Job; isEnd: boolean }>()
  const wait = joinWait(request, {
    ...{ isEager: true, wantsStates: true },
    onState: (state, isEnd) => changes.push({ state: copyJson(state), isEnd }),
    onError: changes.fail,
  })
  try {
    for (;;) {
      const { state, isEnd } = await changes.next()
      yield state
      if (isEnd) return
    }
  } finally {
    wait.leave()
  }
}

function joinWait(
  request: WaitRequest,
  { onState, onError, ...wanted }: Pick<Subscriber, 'isEager' | 'wantsStates' | 'onState' | 'onError'>,
) {
  const { core, reference, options, listen } = request
  const { endsAt = core.options.clock.now() + (options.deadlineMs ?? DEFAULT_DEADLINE_MS) } = request
  const within = core.captureContext()
  return core.joinPolls({
    ...{ ...wanted, job: reference, options, endsAt, hasWebhook: listen !== undefined, within, onError },
    onState: (...change) => within(() => onState(...change)),
    // A cancellation that it requests is of this wait, too.
    onEarlyEnd: (end, seen, held) => onError(within(() => earlyEndError(request, end, { ...seen, held }))),
  })
}

/** The error for a wait that its signal or its deadline ended. Cancels the job when the policy says so. */
function earlyEndError(
  { core, job, reference, options }: WaitRequest,
  end: EarlyEnd,
  { state, failure, attempts, requestId, held }: LastSeen & { held: string },
): AbortedError | DeadlineExceededError {
  const isDeadline = end === 'deadline'
  const policy = isDeadline ? options.onDeadline : options.onAbort
  const what = isDeadline
    ? `did not finish within deadlineMs (${options.deadlineMs ?? DEFAULT_DEADLINE_MS} ms)`
    : 'was still running when the caller aborted the wait'
  const status = state === undefined ? '' : `; its last status is ${state.status}`
  const failed = isDeadline && failure ? '; the last poll failed: see `error.cause`' : ''
  const then =
    policy === 'cancel'
      ? 'Its cancellation was requested: see `error.cancellation`.'
      : 'It continues: `error.job.result()` waits again.'
  const fields: EndedWaitFields = {
    message: `The job ${job.id} ${what}${status}${held}${failed}. ${then}`,
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

export function outcomeOfCompleted({ creditsPerRun }: JobReference, run: RunCompleted): RunResult {
  return { ...run, status: 'succeeded', ...defined({ credits_per_run: creditsPerRun }) }
}

/** The outcome of a job that ended. @throws JobFailedError, JobCancelledError, InvalidResponseError */
function outcomeOfJob(reference: JobReference, job: Job, { attempts, requestId: lastRequestId }: LastSeen): RunResult {
  const { jobId, requestId, creditsPerRun } = reference
  const sent = {
    jobId,
    attempts,
    requestId: lastRequestId,
    status: attempts.at(-1)?.status,
    submission: 'accepted',
  } as const
  const modelId = reference.modelId ?? stringIn(job, 'model_id')
  if (job.status === 'failed') {
    const { code, message } = job.error ?? NO_REASON
    throw new JobFailedError({ ...sent, message: `The job ${jobId} failed: [${code}] ${message}`, job })
  }
  if (job.status === 'cancelled') {
    const message = `The job ${jobId} was cancelled. It is not charged.`
    throw new JobCancelledError({ ...sent, message, job })
  }
  if (job.output === undefined) throw noOutputError(jobId, sent)
  return defined({
    job_id: jobId,
    request_id: requestId,
    model_id: modelId,
    status: 'succeeded',
    output: job.output,
    // The specification leaves further fields of a job open (section 2.4). They are read when they are present.
    credits_used: numberIn(job, 'credits_used'),
    credits_per_run: creditsPerRun,
    duration_ms: numberIn(job, 'duration_ms'),
  })
}
