import type { Failure } from './operation.ts'

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
