import type { FaultOptions } from '../faults/fault-options.ts'
import { errorResponse } from './error-responses.ts'
import { statusLine } from './json-response.ts'

/** The web page of a proxy whose service does not respond. */
const GATEWAY_PAGE = `<!doctype html>
<html><head><title>502 Bad Gateway</title></head>
<body><h1>502 Bad Gateway</h1><p>The upstream server sent an invalid response.</p></body></html>
`

/** The start of an object, cut off. */
const BROKEN_JSON = '{"status":"comp'

/** The 502 with a web page. */
export function gatewayPage(): Response {
  return textResponse(502, 'text/html; charset=utf-8', GATEWAY_PAGE)
}

/** A 200 whose body is not JSON: half of the real response, if there is one. */
export async function malformedJson(original: Response | undefined): Promise<Response> {
  const text = (await original?.text()) ?? ''
  const broken = text === '' ? BROKEN_JSON : text.slice(0, Math.ceil(text.length / 2))
  return textResponse(200, 'application/json', broken)
}

/** A 429 or 503, with the Retry-After of the fault. */
export function retryLaterResponse(fault: FaultOptions, now: number): Response {
  const isRateLimit = fault.kind === 'rate-limit'
  const retryAfter = retryAfterText(fault, isRateLimit ? 1 : null, now)
  const headers = retryAfter === undefined ? undefined : { 'retry-after': retryAfter }
  return isRateLimit
    ? errorResponse('RATE_LIMITED', 'Too many requests. Send fewer, or wait as Retry-After says.', headers)
    : errorResponse('UNAVAILABLE', 'The service is not available at the moment.', headers)
}

/** The response that the fault describes. */
export function chosenResponse({ status = 200, headers, body }: FaultOptions): Response {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
  const type = typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json'
  const response = body === undefined ? emptyResponse(status) : textResponse(status, type, text)
  for (const [name, value] of Object.entries(headers ?? {})) response.headers.set(name, value)
  return response
}

function emptyResponse(status: number): Response {
  const hasLength = status !== 204 && status !== 304
  return new Response(null, { ...statusLine(status), headers: hasLength ? { 'content-length': '0' } : {} })
}

function retryAfterText(fault: FaultOptions, byDefault: number | null, now: number): string | undefined {
  const { retry_after = byDefault, retry_after_as_date: asDate } = fault
  if (retry_after === null) return undefined
  if (typeof retry_after === 'string' || !asDate) return String(retry_after)
  return new Date(now + retry_after * 1_000).toUTCString()
}

function textResponse(status: number, contentType: string, text: string): Response {
  const bytes = new TextEncoder().encode(text)
  return new Response(bytes, {
    ...statusLine(status),
    headers: { 'content-type': contentType, 'content-length': String(bytes.byteLength) },
  })
}
