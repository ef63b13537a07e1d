import type { ServerResponse } from 'node:http'
import { toUrl } from '@modelrun/kit'
import { CONTROL_PREFIX } from '../control/route.ts'
import { errorResponse } from '../wire/error-responses.ts'
import { emptyReply, type IncomingRequest, type Reply } from '../wire/messages.ts'
import { pathOf } from '../wire/router.ts'

/** How long a browser may remember that an origin is allowed, in seconds. */
const MAX_AGE_S = 600

/**
 * Decides which web pages of other origins may call the server. Sets the headers that allow it, before the response is
 * known, and returns the response itself for a preflight and for what no page may do.
 *
 * The control API takes no request of a page of another origin: any page that a developer visits could otherwise control a
 * server on their machine.
 *
 * @param origins as `readOrigin` gives them
 */
export function createCors(origins: readonly string[]) {
  const allowedFor = (origin: string) => (origins.includes('*') ? '*' : origins.find((one) => one === origin))
  return (request: IncomingRequest, outgoing: Pick<ServerResponse, 'setHeader'>): Reply | undefined => {
    // Below the base address too, which may have a path of its own.
    const isForControl = `${pathOf(request.url)}/`.includes(`${CONTROL_PREFIX}/`)
    if (isForControl && isOtherPage(request)) {
      return errorResponse(
        'FORBIDDEN',
        'The control API takes no requests of web pages of another origin. Call it from a program.',
      )
    }
    if (origins.length === 0 || isForControl) return undefined
    const origin = request.headers.get('origin')
    if (!origins.includes('*')) outgoing.setHeader('vary', 'origin')
    const allowed = origin === null ? undefined : allowedFor(origin)
    if (allowed === undefined) return undefined
    outgoing.setHeader('access-control-allow-origin', allowed)
    outgoing.setHeader('access-control-expose-headers', '*')
    const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
    return isPreflight ? preflightResponse(request) : undefined
  }
}

/**
 * Whether a page of another origin sends the request. Browsers give no `Origin` to what needs no CORS, such as an image,
 * but say in `Sec-Fetch-Site` where it comes from.
 */
function isOtherPage({ headers, url }: IncomingRequest): boolean {
  const origin = headers.get('origin')
  const isOtherOrigin = origin !== null && toUrl(origin)?.host !== new URL(url).host
  return isOtherOrigin || !['same-origin', 'none'].includes(headers.get('sec-fetch-site') ?? 'none')
}

/** `*` would not stand for `authorization`, so the headers that are asked for are named. */
function preflightResponse({ headers }: IncomingRequest): Reply {
  return emptyReply(204, {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': headers.get('access-control-request-headers') ?? '',
    'access-control-max-age': String(MAX_AGE_S),
  })
}

/** An origin as browsers write it, also that of an app or an extension, or `*` for all of them; `undefined` for anything else. */
export function readOrigin(text: string): string | undefined {
  if (text === '*' || /^(?!https?:|file:)[a-z][a-z\d+.-]*:\/\/[\w.-]+(:\d+)?$/.test(text)) return text
  const url = toUrl(text)
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  return isOrigin ? url.origin : undefined
}
