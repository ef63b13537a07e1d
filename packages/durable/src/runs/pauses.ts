import { type Clock, NonRetriableError, PauseQueue, type TaskFailure } from '@modelrun/kit'
import {
  ApiError,
  AuthenticationError,
  BudgetExceededError,
  HookError,
  InsufficientCreditsError,
  ModelRunError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from 'modelrun'
import { fromJson, note, type RunsContext } from './runs-context.ts'

/** Runs that were tried before a pause are among the first ones. */
const TRIED_FIRST = 100

/** Sends no further run, in all processes. */
export async function pauseRuns({ engine, queues }: RunsContext): Promise<void> {
  await engine.add(queues.paused, PAUSE_MARK, { data: null })
  await engine.pause(queues.submit)
}

/** Ends the pause. The runs that were tried before it, which are the first ones, do not wait as long as it was meant to last. */
export async function resumeRuns({ engine, queues }: RunsContext): Promise<void> {
  // The key or its permissions did not suffice for a poll.
  const arePollsPaused = await engine.isPaused(queues.poll)
  for (const queue of arePollsPaused ? [queues.submit, queues.poll] : [queues.submit]) {
    await engine.resume(queue)
    const tried = await engine.list(queue, 'waiting', { limit: TRIED_FIRST })
    // An update makes a task due.
    for (const { id, data, addedAt } of tried) {
      await engine.guardedBy({ queue, id, addedAt }).update(queue, id, data)
    }
  }
  await engine.remove(queues.paused, PAUSE_MARK)
}

/** The task of the queue `paused`. */
const PAUSE_MARK = 'paused'

/** Its data is why the service or this machine paused the queue last. */
const PAUSE_REASON = 'reason'
/** Longer than the pause, which the reason outlives. */
const REASON_MS = 60_000

/** Stores why no run can succeed now, for the callers whose run only waits. */
async function storePauseReason(reason: TaskFailure, { engine, queues }: RunsContext): Promise<void> {
  await engine.remove(queues.paused, PAUSE_REASON)
  await engine.add(queues.paused, PAUSE_REASON, { data: { ...reason } })
}

/** Why the batch is paused, if it is and the store responds. Never rejects: a step is right without it. */
export async function pauseReason({ engine, queues }: RunsContext): Promise<TaskFailure | undefined> {
  const names = [PAUSE_MARK, PAUSE_REASON].map((id) => ({ queue: queues.paused, id }))
  const [mark, reason] = await engine.getAll(names).catch(() => [])
  const isByUser = mark !== undefined && (await engine.isPaused(queues.submit).catch(() => false))
  if (isByUser) return { code: 'PAUSED', message: 'The batch is paused by its user: `runs.resume()` continues it.' }
  if (reason === undefined || Date.now() - reason.addedAt > REASON_MS) return undefined
  return fromJson<TaskFailure>(reason.data)
}

/** Whether the batch is paused by its user. The mark alone is from a process that died while it paused or resumed. */
export async function isPaused({ engine, queues }: RunsContext): Promise<boolean> {
  return (await engine.get(queues.paused, PAUSE_MARK)) !== undefined && (await engine.isPaused(queues.submit))
}

const REPAIR_PAUSE_MS = 30_000

/** Longest pause for a `Retry-After`: one of a day is cut to it. */
const LONGEST_PAUSE_MS = 300_000

/**
 * True for a failure on this machine that does not pass by itself, such as a function `apiKey` or a hook that throws. Without an
 * attempt and a cause it is about this run alone: it cannot become a request.
 */
function isLocal(error: unknown): error is ModelRunError {
  if (!(error instanceof ModelRunError) || error.submission !== 'not_sent' || error.isRetryable) return false
  // Its attempts are those that read the model.
  if (error instanceof BudgetExceededError) return false
  const hasTried = error.attempts.length > 0 || error.cause !== undefined
  return !(error instanceof ApiError) && (hasTried || error instanceof HookError)
}

/**
 * Pauses the queue when no run can succeed now: after a 429 or 503, when the API key is not valid or has no credits, and when this
 * machine cannot send. None of these is a decision about a run.
 */
export async function pauseOnRejection(name: 'submit' | 'poll', error: unknown, context: RunsContext): Promise<void> {
  if (error instanceof RateLimitError || (error instanceof ServerError && error.submission === 'rejected')) {
    reportOutage(name, error, context)
    note(context, { pause: { code: error.code, message: error.message } })
    throw new PauseQueue(Math.min(LONGEST_PAUSE_MS, error.retryAfterMs ?? 1_000))
  }
  const isForOperator =
    error instanceof AuthenticationError ||
    error instanceof PermissionDeniedError ||
    error instanceof InsufficientCreditsError ||
    isLocal(error)
  if (!isForOperator) return
  const pause = { code: error.code, message: error.message }
  note(context, { pause })
  await storePauseReason(pause, context).catch(context.onError)
  context.onPause(error)
  throw new PauseQueue(REPAIR_PAUSE_MS)
}

/** A restart of the service takes less. */
const OUTAGE_MS = 60_000
const REPORT_EVERY_MS = 3_600_000

/**
 * Reports an outage of the service once it lasts, and each hour: no run is sent, or no job is polled. Without a cause it is over.
 * Returns for how many milliseconds it lasts.
 */
export function reportOutage(
  name: 'submit' | 'poll',
  cause: Error | undefined,
  { outages, onPause }: RunsContext,
): number {
  const now = performance.now()
  const { since, reportAt } = outages[name] ?? { since: now, reportAt: now + OUTAGE_MS }
  outages[name] = cause && { since, reportAt: now < reportAt ? reportAt : now + REPORT_EVERY_MS }
  const what = name === 'submit' ? 'No run could be sent' : 'No job could be polled'
  if (cause !== undefined && now >= reportAt) {
    onPause(new Error(`${what} for a minute. The batch tries on: ${cause.message}`, { cause }))
  }
  return now - since
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_OUTAGE_PAUSE_MS = 60_000

/**
 * Pauses a batch whose runs fail so that each may have been sent, for instance by a gateway that responds 502: each of them is left
 * for a person to decide about. After a pause one run is sent alone, and the others follow when it got a response.
 */
export function createOutageGuard(clock: Pick<Clock, 'now'>) {
  let failures = 0
  let endsAt = 0
  let isTesting = false
  const fail = () => {
    const now = clock.now()
    // Runs that were sent together fail together.
    if (now < endsAt) return
    endsAt = now + Math.min(LONGEST_OUTAGE_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures)
    failures += 1
  }
  /** @throws PauseQueue while the batch pauses */
  return async <T>(send: () => Promise<T>): Promise<T> => {
    const isTest = failures > 0
    const waitMs = isTesting ? FIRST_PAUSE_MS : endsAt - clock.now()
    if (isTest && waitMs > 0) throw new PauseQueue(waitMs)
    isTesting = isTest
    try {
      const result = await send()
      failures = 0
      return result
    } catch (error) {
      if (error instanceof NonRetriableError && error.cause instanceof ModelRunError) fail()
      throw error
    } finally {
      if (isTest) isTesting = false
    }
  }
}
