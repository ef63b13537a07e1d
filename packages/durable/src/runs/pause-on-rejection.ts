import { AuthenticationError, InsufficientCreditsError, PermissionDeniedError, RateLimitError } from 'modelrun'
import { PauseQueue } from 'modelrun/webhooks'
import type { RunsContext } from './runs-context.ts'

/** For the operator to repair: asking again sooner helps nobody. */
const REPAIR_PAUSE_MS = 30_000

/** A service that names a day means its own day. Runs are not put off so long. */
const LONGEST_PAUSE_MS = 300_000

/** Pauses the queue when no run can succeed now: too many requests, a key that is not valid, no credits. */
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
