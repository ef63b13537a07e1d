/**
 * Reads a `Retry-After` header: seconds, or an HTTP date (RFC 9110, section 10.2.3).
 *
 * @returns Milliseconds to wait, never negative; undefined when the header is absent or makes no sense.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  // Date.parse takes much that is no date, like "-5"; every HTTP date begins with a weekday.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
