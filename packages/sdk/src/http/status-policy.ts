import { backoffMs, jitter } from '../backoff.ts'
import type { Failure, RequestMethod } from './operation.ts'

/**
 * True when the service certainly did nothing: each status below 500 except 408, which says that the request may have
 * arrived late.
 */
export function isRejection(status: number): boolean {
  return status < 500 && status !== 408
}

/** True when the same request may succeed later: the service is busy, fails, or did not get the request in time. */
export function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** True when the service does not accept the API key. An operator has to repair that. */
export function isKeyRejection(status: number): boolean {
  return status === 401 || status === 403
}

/** When a request is sent again. The rule behind it: a run whose outcome is unknown is never sent again. */
interface RetryRule {
  /** The connection broke after the service may have received the request. */
  afterConnectionLoss: boolean
  /** The attempt took longer than its time limit. */
  afterTimeout: boolean
  statuses: readonly number[]
  /** Statuses that count only with a `Retry-After` header, by which the service says that it did nothing. */
  statusesWithRetryAfter: readonly number[]
}

const REPEATABLE: RetryRule = {
  afterConnectionLoss: true,
  afterTimeout: true,
  statuses: [408, 429, 500, 502, 503, 504],
  statusesWithRetryAfter: [],
}

const AT_MOST_ONCE: RetryRule = {
  afterConnectionLoss: false,
  afterTimeout: false,
  statuses: [429],
  statusesWithRetryAfter: [503],
}

/** The retries of each method. A request that failed before a connection existed is sent again with every method. */
const RULES: Readonly<Record<RequestMethod, RetryRule>> = {
  GET: REPEATABLE,
  DELETE: REPEATABLE,
  POST: AT_MOST_ONCE,
  PUT: AT_MOST_ONCE,
  PATCH: AT_MOST_ONCE,
}

/** Delays between attempts, in milliseconds. */
const BACKOFF = { baseMs: 500, maxMs: 8_000, maxRetryAfterMs: 60_000 } as const

/** True when sending the request again is safe and may help. */
export function isWorthRetrying(method: RequestMethod, failure: Failure, retryAfterMs: number | undefined): boolean {
  const rule = RULES[method]
  switch (failure.kind) {
    case 'response': {
      const { status, isCut } = failure.received
      if (failure.problem !== undefined) return isCut && rule.afterConnectionLoss
      return (
        rule.statuses.includes(status) || (rule.statusesWithRetryAfter.includes(status) && retryAfterMs !== undefined)
      )
    }
    case 'connection':
      return rule.afterConnectionLoss || failure.submission === 'not_sent'
    case 'timeout':
      return rule.afterTimeout
    case 'aborted':
    case 'deadline':
    case 'no_key':
      return false
  }
}

/** What {@link retryDelayMs} depends on. */
export interface RetrySituation {
  /** 0 after the first attempt. */
  retryCount: number
  retryAfterMs: number | undefined
  random: () => number
}

/**
 * Milliseconds until the next attempt: the service's `Retry-After`, else exponential backoff with full jitter.
 *
 * @returns Undefined when the service asks for more than a minute: then the call fails at once.
 */
export function retryDelayMs({ retryCount, retryAfterMs, random }: RetrySituation): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs <= BACKOFF.maxRetryAfterMs ? retryAfterMs : undefined
  return jitter(backoffMs(retryCount + 1, BACKOFF), [0, 1], random)
}

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date (RFC 9110, section 10.2.3).
 *
 * @returns Milliseconds to wait, finite and never negative; undefined when the header is absent or invalid.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  // Date.parse accepts texts that are not dates, like "-5". Every HTTP date starts with a weekday.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  // The oldest of the three forms has no zone. It means GMT too.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** The `Retry-After` of a failure, in milliseconds. Undefined without a response, and as {@link parseRetryAfter}. */
export function retryAfterOf(failure: Failure, now: number): number | undefined {
  return failure.kind === 'response'
    ? parseRetryAfter(failure.received.response.headers.get('retry-after'), now)
    : undefined
}
