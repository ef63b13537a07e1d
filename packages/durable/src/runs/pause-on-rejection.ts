import { AuthenticationError, InsufficientCreditsError, PermissionDeniedError, RateLimitError } from 'modelrun'
import { PauseQueue } from 'modelrun/webhooks'
import type { RunsContext } from './runs-context.ts'

/** Pause for problems that an operator has to fix. */
const REPAIR_PAUSE_MS = 30_000

/** Longest pause after a 429: a `Retry-After` of a day is cut to it. */
const LONGEST_PAUSE_MS = 300_000

/** Pauses the queue when no run can succeed now: after a 429, or when the API key is not valid or has no credits. */
export function pauseOnRejection(error: unknown, { onPause }: Pick<RunsContext, 'onPause'>): void {
  if (error instanceof RateLimitError) {
    throw new PauseQueue(Math.min(LONGEST_PAUSE_MS, error.retryAfterMs ?? 1_000))
  }
  const isForOperator =
    error instanceof AuthenticationError ||
    error instanceof PermissionDeniedError ||
    error instanceof InsufficientCreditsError
  if (!isForOperator) return
  onPause(error)
  throw new PauseQueue(REPAIR_PAUSE_MS)
}
