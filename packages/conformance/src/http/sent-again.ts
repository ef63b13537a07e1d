import { retryAfterMs } from '@modelrun/kit'
import { type ConformanceClock, sleep } from '../clock.ts'
import type { ApiResponse, Call } from './caller.ts'

/** HTTP status of a rate-limited request. */
export const TOO_MANY_REQUESTS = 429

/** Maximum number of repeats of one request. */
const MAX_REPEATS = 5
/** First wait without `Retry-After`; each next wait is twice as long. */
const FIRST_WAIT_MS = 1_000
/** A longer `Retry-After` is not waited for. */
const LONGEST_WAIT_MS = 120_000

/** A read that failed is sent again so often, after a second and after four times as long. */
const MAX_READS = 2
const GROWTH = 4

type Send = (call: Call) => Promise<ApiResponse>

/** A response to a read that failed, which was returned when it was sent again. */
export interface Recovered {
  path: string
  response: ApiResponse
}

interface RateLimits {
  clock: ConformanceClock
  limited: ApiResponse[]
  isOther: (call: Call) => boolean
}

/**
 * Sends a request again that was rejected with 429, after `Retry-After`: the specification shows no rate limits (section
 * 8), so a service may have any. Such a request did nothing.
 *
 * @param limited gets every response 429 but those of requests that are rejected for something else
 * @param isOther whether a 429 that stays may mean something else, such as an account without credits
 */
export function waitingWhenLimited(send: Send, { clock, limited, isOther }: RateLimits): Send {
  return async (call) => {
    const rejected: ApiResponse[] = []
    for (let repeats = 0; ; repeats++) {
      const response = await send(call)
      if (response.status !== TOO_MANY_REQUESTS) {
        limited.push(...rejected)
        return response
      }
      rejected.push(response)
      const waitMs = retryAfterMs(response.headers, clock.now()) ?? FIRST_WAIT_MS * 2 ** repeats
      if (repeats === MAX_REPEATS || waitMs > LONGEST_WAIT_MS) {
        if (response.headers.has('retry-after') || !isOther(call)) limited.push(...rejected)
        return response
      }
      await sleep(clock, waitMs)
    }
  }
}

/**
 * Sends a read again that got a status of 500 or more, as any service fails now and then. Nothing that could cost is sent twice.
 *
 * @param recovered gets every failed read that was returned in the end
 */
export function readingAgain(send: Send, clock: ConformanceClock, recovered: Recovered[]): Send {
  return async (call) => {
    const failed: Recovered[] = []
    for (;;) {
      const response = await send(call)
      if (response.status < 500) recovered.push(...failed)
      if (response.status < 500 || call.method !== 'GET' || failed.length === MAX_READS) return response
      await sleep(clock, FIRST_WAIT_MS * GROWTH ** failed.length)
      failed.push({ path: call.path, response })
    }
  }
}
