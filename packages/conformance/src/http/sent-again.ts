import { retryAfterMs, sleep } from '@modelrun/kit'
import type { ConformanceClock } from '../clock.ts'
import { type ApiResponse, type Call, NoResponseError } from './caller.ts'

/** Maximum number of repeats of one request, and of a read that failed. */
const MAX_REPEATS = 5
const MAX_READS = 2
/** First wait without `Retry-After`; each next wait is twice as long. */
const FIRST_WAIT_MS = 2_000
/** A longer `Retry-After` is not waited for. */
const LONGEST_WAIT_MS = 120_000

type Send = (call: Call) => Promise<ApiResponse>

/**
 * Sends a request again that was rejected with 429, after `Retry-After`: the specification shows no rate limits (section
 * 8), so a service may have any, and such a request did nothing. So is a read that got a status of 500 or more, or whose
 * connection broke, as happens now and then. Nothing that could cost is sent twice.
 *
 * @throws NoResponseError
 */
export function sendingAgain(send: Send, clock: ConformanceClock): Send {
  let isInVain = false // until a request succeeds
  let isReached = false // nothing is repeated where no service listens
  return async (call) => {
    for (let repeats = 0; ; repeats++) {
      const response = await send(call)
      isReached ||= response.status > 0
      const most = isReached ? mostRepeats(call, response) : 0
      const waitMs = askedMs(response, clock) ?? FIRST_WAIT_MS * 2 ** repeats
      if (isInVain || repeats >= most || waitMs > LONGEST_WAIT_MS) {
        isInVain = most > 0
        if (response.status === 0) throw new NoResponseError(response)
        return response
      }
      await sleep(clock, waitMs)
    }
  }
}

function mostRepeats({ method }: Call, { status }: ApiResponse): number {
  if (status === 429) return MAX_REPEATS
  return (status === 0 || status >= 500) && method === 'GET' ? MAX_READS : 0
}

function askedMs({ status, headers }: ApiResponse, clock: ConformanceClock): number | undefined {
  return status === 429 ? retryAfterMs(headers, clock.now()) : undefined
}
