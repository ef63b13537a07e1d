import type { FaultOptions } from '../faults/fault-options.ts'
import { errorResponse } from './error-responses.ts'
import { emptyReply, type Reply, textReply } from './messages.ts'

/** The web page of a proxy whose service does not respond. */
const GATEWAY_PAGE = `<!doctype html>
<html><head><title>502 Bad Gateway</title></head>
<body><h1>502 Bad Gateway</h1><p>The upstream server sent an invalid response.</p></body></html>
`

/** The start of an object, cut off. */
const BROKEN_JSON = '{"status":"comp'

/** The 502 with a web page. */
export function gatewayPage(): Reply {
  return textReply(502, 'text/html; charset=utf-8', GATEWAY_PAGE)
}

/** A 200 whose body is not JSON: half of the real response, if there is one. */
export function malformedJson(original: Reply | undefined): Reply {
  const text = typeof original?.body === 'string' ? original.body : ''
  const broken = text === '' ? BROKEN_JSON : text.slice(0, Math.ceil(text.length / 2))
  return textReply(200, 'application/json', broken)
}

/** A 429 or 503, with the Retry-After of the fault. */
export function retryLaterResponse(fault: FaultOptions, now: number): Reply {
  const isRateLimit = fault.kind === 'rate-limit'
  const retryAfter = retryAfterText(fault, isRateLimit ? 1 : null, now)
  const headers = retryAfter === undefined ? undefined : { 'retry-after': retryAfter }
  return isRateLimit
    ? errorResponse('RATE_LIMITED', 'Too many requests. Send fewer, or wait as Retry-After says.', headers)
    : errorResponse('UNAVAILABLE', 'The service is not available at the moment.', headers)
}

/** The response that the fault describes. */
export function chosenResponse({ status = 200, headers = {}, body }: FaultOptions): Reply {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  const type = typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json'
  const reply = body === undefined ? emptyReply(status) : textReply(status, type, text)
  for (const [name, value] of Object.entries(headers)) reply.headers[name.toLowerCase()] = value
  return reply
}

function retryAfterText(fault: FaultOptions, byDefault: number | null, now: number): string | undefined {
  const { retry_after = byDefault, retry_after_as_date: asDate } = fault
  if (retry_after === null) return undefined
  if (typeof retry_after === 'string' || !asDate) return String(retry_after)
  return new Date(now + retry_after * 1_000).toUTCString()
}
