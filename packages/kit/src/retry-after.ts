/**
 * Reads the header `Retry-After` of a response: seconds, or an HTTP date (RFC 9110, section 10.2.3). A date counts from the `Date` of the
 * response: the clocks of the service and of this machine may differ.
 *
 * @returns Milliseconds to wait, finite and never negative; undefined when the header is absent or invalid.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const sentAt = Date.parse(headers.get('date') ?? '')
  return parseRetryAfter(headers.get('retry-after'), Number.isNaN(sentAt) ? now : sentAt)
}

/** The same of its text. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  // A `fetch` of the caller may have headers of its own, such as a Map of numbers.
  const text = String(header ?? '').trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  // Date.parse accepts texts that are not dates, like "-5". Every HTTP date starts with a weekday.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  // The oldest of the three forms has no zone. It means GMT too.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
