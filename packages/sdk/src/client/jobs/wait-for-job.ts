import type { Job, RunCompleted } from '@modelrun/contract'
import { copyJson, defined, numberIn, stringIn } from '@modelrun/kit'
import { createAsyncQueue } from '../../shared/async-queue.ts'
import { JobCancelledError, JobFailedError, noOutputError } from '../errors/job-errors.ts'
import { DEFAULT_DEADLINE_MS } from '../job-handle.ts'
import { notify } from '../observe/logger.ts'
import { type EndedWait, earlyEndError } from './early-end.ts'
import { type JobReference, NO_REASON } from './job-operations.ts'
import type { LastSeen, Subscriber } from './polling/polled-jobs.ts'
import type { RunResult } from './run-result.ts'

/** A wait for a job. */
export interface WaitRequest extends EndedWait {
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

/** The outcome of a run that finished within the hold. */
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
