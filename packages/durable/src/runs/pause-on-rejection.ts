import {
  ApiError,
  AuthenticationError,
  HookError,
  InsufficientCreditsError,
  ModelRunError,
  PermissionDeniedError,
  RateLimitError,
} from 'modelrun'
import { PauseQueue } from 'modelrun/webhooks'
import type { RunsContext } from './runs-context.ts'

/** Pause for problems that an operator has to fix. */
const REPAIR_PAUSE_MS = 30_000

/** Longest pause after a 429: a `Retry-After` of a day is cut to it. */
const LONGEST_PAUSE_MS = 300_000

/**
 * True for a failure on this machine that does not pass by itself, such as a function `apiKey` or a hook that throws. Without an
 * attempt it is about this run alone: it cannot become a request.
 */
function isLocal(error: unknown): error is ModelRunError {
  if (!(error instanceof ModelRunError) || error.submission !== 'not_sent' || error.isRetryable) return false
  return !(error instanceof ApiError) && (error.attempts.length > 0 || error instanceof HookError)
}

/**
 * Pauses the queue when no run can succeed now: after a 429, when the API key is not valid or has no credits, and when this
 * machine cannot send. None of these is a decision about a run.
 */
export function pauseOnRejection(error: unknown, { onPause }: Pick<RunsContext, 'onPause'>): void {
  if (error instanceof RateLimitError) {
    throw new PauseQueue(Math.min(LONGEST_PAUSE_MS, error.retryAfterMs ?? 1_000))
  }
  const isForOperator =
    error instanceof AuthenticationError ||
    error instanceof PermissionDeniedError ||
    error instanceof InsufficientCreditsError ||
    isLocal(error)
  if (!isForOperator) return
  onPause(error)
  throw new PauseQueue(REPAIR_PAUSE_MS)
}
