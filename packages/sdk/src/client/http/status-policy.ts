import { backoffMs, jitter, retryAfterMs, type Submission } from '@modelrun/kit'
import type { Failure, ReceivedResponse, RequestMethod } from './operation.ts'
import { errorDetailIn } from './read-response.ts'
import { isRejection, runIn } from './run-in-response.ts'

/**
 * The code of a rejection that the proxy passes on to a page and that the service did not write: the page must not conclude
 * from it that nothing is charged.
 */
export const GATEWAY_REJECTION = 'GATEWAY_REJECTION'

/** Whether the service wrote an error response, by the code in it. A page of a gateway says nothing about a run or a job. */
export function isFromService(apiCode: string | undefined): boolean {
  return apiCode !== undefined && apiCode !== GATEWAY_REJECTION
}

/** Whether the service may have acted on a request that failed. The one place that decides it. */
export function submissionAfter(failure: Failure): Submission {
  if (failure.kind !== 'response') return failure.submission
  const { problem, received } = failure
  if (problem !== undefined || received.isRepeated || runIn(received) !== undefined) return 'unknown'
  const isUnhandled = isRejection(received.status) || isUnavailability(received) || isMove(received)
  return isUnhandled ? 'rejected' : 'unknown'
}

/** True for a redirect that asks for the same request elsewhere: nothing was done. 302 and 303 may follow a POST that was handled. */
export function isMove({ status }: ReceivedResponse): boolean {
  return [301, 307, 308].includes(status)
}

/**
 * True for a 503 of the service itself, which says when to come back. Gateways send 503 with `Retry-After` too (Varnish does
 * when the service is slow), but not with an error body of the service.
 */
function isUnavailability(received: ReceivedResponse): boolean {
  const isAnnounced = received.status === 503 && retryAfterMs(received.response.headers, 0) !== undefined
  return isAnnounced && errorDetailIn(received) !== undefined
}

/** True when the same request may succeed later: the service is busy, fails, or did not get the request in time. */
export function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** True when the service does not accept the API key. An operator has to repair that. */
export function isKeyRejection(status: number): boolean {
  return status === 401 || status === 403
}

export const REPEATABLE: readonly RequestMethod[] = ['GET', 'DELETE']

/** The statuses after which the same request may succeed within a minute. */
const RETRIED: readonly number[] = [408, 429, 500, 502, 503, 504]

/** Delays between attempts, in milliseconds. */
const BACKOFF = { baseMs: 500, maxMs: 8_000, maxRetryAfterMs: 60_000 } as const

/** True when sending the request again is safe and may help. A run whose outcome is unknown is never sent again. */
export function isWorthRetrying(method: RequestMethod, failure: Failure): boolean {
  const isRepeatable = REPEATABLE.includes(method)
  const isSafe = isRepeatable || submissionAfter(failure) !== 'unknown'
  switch (failure.kind) {
    case 'response': {
      const { status, isCut } = failure.received
      return isSafe && (failure.problem === undefined ? RETRIED.includes(status) : isCut)
    }
    case 'connection':
      return isSafe
    case 'timeout':
      return isRepeatable
    case 'aborted':
    case 'deadline':
    case 'no_key':
      return false
  }
}

/**
 * Milliseconds until the next attempt: the service's `Retry-After`, else exponential backoff with full jitter.
 *
 * @param retryCount 0 after the first attempt
 * @returns Undefined when the service asks for more than a minute: then the call fails at once.
 */
export function retryDelayMs(
  retryCount: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs <= BACKOFF.maxRetryAfterMs ? retryAfterMs : undefined
  return jitter(backoffMs(retryCount + 1, BACKOFF), [0, 1], random)
}

/** The `Retry-After` of a failure, in milliseconds. Undefined without a response, and where it has none. */
export function retryAfterOf(failure: Failure, now: number): number | undefined {
  return failure.kind === 'response' ? retryAfterMs(failure.received.response.headers, now) : undefined
}
