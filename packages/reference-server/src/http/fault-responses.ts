import type { FaultOptions } from '../faults/fault-options.ts'
import { jsonResponse } from './json-response.ts'
import { statusLine } from './status-text.ts'

const encoder = new TextEncoder()

/** What a proxy shows when the service behind it is away. */
const GATEWAY_PAGE = `<!doctype html>
<html><head><title>502 Bad Gateway</title></head>
<body><h1>502 Bad Gateway</h1><p>The upstream server sent an invalid answer.</p></body></html>
`

/** The beginning of an object, and then nothing. */
const BROKEN_JSON = '{"status":"comp'

/** The 502 with a web page. */
export function gatewayPage(): Response {
  return textResponse(502, 'text/html; charset=utf-8', GATEWAY_PAGE)
}

/** A 200 whose body is no JSON: half of the real answer, if there is one. */
export async function malformedJson(original: Response | undefined): Promise<Response> {
  const text = (await original?.text()) ?? ''
  const broken = text === '' ? BROKEN_JSON : text.slice(0, Math.ceil(text.length / 2))
  return textResponse(200, 'application/json', broken)
}

/** A 429 or 503, with Retry-After as the fault says. */
export function retryLaterResponse(fault: FaultOptions, now: number): Response {
  const isRateLimit = fault.kind === 'rate-limit'
  const retryAfter = retryAfterText(fault, isRateLimit ? 1 : null, now)
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  const error = isRateLimit
    ? { code: 'RATE_LIMITED', message: 'Too many requests. Send fewer, or wait as Retry-After says.' }
    : { code: 'UNAVAILABLE', message: 'The service is not available at the moment.' }
  return jsonResponse(isRateLimit ? 429 : 503, { error }, headers)
}

function retryAfterText(fault: FaultOptions, byDefault: number | null, now: number): string | undefined {
  const { retry_after = byDefault, retry_after_as_date: asDate } = fault
  if (retry_after === null) return undefined
  if (typeof retry_after === 'string' || !asDate) return String(retry_after)
  return new Date(now + retry_after * 1_000).toUTCString()
}

function textResponse(status: number, contentType: string, text: string): Response {
  const bytes = encoder.encode(text)
  return new Response(bytes, {
    ...statusLine(status),
    headers: { 'content-type': contentType, 'content-length': String(bytes.byteLength) },
  })
}
