import { isLoopback, toUrl } from '@modelrun/kit'
import type { PageRequest } from './page-request.ts'
import type { ResolvedProxyOptions } from './resolve-proxy-options.ts'

/**
 * True for a host that can be meant. The name of a foreign site may lead to this server (DNS rebinding): its pages are of the "own"
 * origin then. They cannot do that over https, for which they have no certificate here, nor with an IP address or `localhost`.
 */
export function isKnownHost(
  { headers, url }: PageRequest,
  { hosts, allowedOrigins }: Pick<ResolvedProxyOptions, 'hosts' | 'allowedOrigins'>,
): boolean {
  const sent = `http://${headers.get('host') ?? url.host}`
  if (!URL.canParse(sent)) return false
  const { host, hostname } = new URL(sent)
  if (isLoopback(hostname) || IP_ADDRESS.test(hostname) || hosts.names.has(host) || hosts.names.has(hostname))
    return true
  const origin = headers.get('origin') ?? ''
  return !hosts.isComplete && (allowedOrigins.has(origin) || isOverHttps(headers, url))
}

/** As a `URL` writes it. */
const IP_ADDRESS = /^(\d+\.){3}\d+$|^\[/

/** As the browser sees it: a load balancer may end TLS. Over http, browsers name no site; only `localhost` is an exception. */
function isOverHttps(headers: Headers, url: URL): boolean {
  const origin = headers.get('origin')
  return origin === null ? url.protocol === 'https:' || headers.has('sec-fetch-site') : !origin.startsWith('http:')
}

const HEADER_NAMES = /^[\w-]+(\s*,\s*[\w-]+)*$/

/**
 * True for a request of a page that may use the proxy: one of the own origin, or of an allowed one. Browsers send
 * the origin in headers that no page can set. A request without these headers is rejected: its cookies could be a visitor's
 * while the page is of another site.
 */
export function isAllowedPage(request: PageRequest, allowedOrigins: ReadonlySet<string>): boolean {
  const { headers, method } = request
  const isRead = method === 'GET'
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  if (origin !== null && allowedOrigins.has(origin)) return true
  // `none`: a person typed the url.
  if (site !== null) return site === 'same-origin' || (isRead && site === 'none')
  // Browsers leave out the site where a page is not served by https, and the origin in requests that only read.
  return origin === null ? isRead : isOwnOrigin(origin, request)
}

/** By the host alone: behind a load balancer, the scheme that arrives is not the one that the page has. */
function isOwnOrigin(origin: string, { headers, url }: PageRequest): boolean {
  const own = toUrl(origin)
  const target = `${own?.protocol}//${headers.get('host') ?? url.host}`
  return own?.origin === origin && toUrl(target)?.host === own.host
}

/** The response to a preflight (CORS) of an allowed origin; undefined for all other requests. */
export function preflight({ method, headers }: PageRequest, allowedOrigins: ReadonlySet<string>): Response | undefined {
  const isAllowed = allowedOrigins.has(headers.get('origin') ?? '')
  if (method !== 'OPTIONS' || !isAllowed || !headers.has('access-control-request-method')) return undefined
  const asked = headers.get('access-control-request-headers') ?? ''
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-max-age': '600',
      ...(HEADER_NAMES.test(asked) ? { 'access-control-allow-headers': asked } : {}),
    },
  })
}

/** Lets a page of an allowed origin read the response. Without allowed origins there is no header of CORS at all. */
export function allowOrigin(response: Response, { headers }: PageRequest, allowedOrigins: ReadonlySet<string>): void {
  if (allowedOrigins.size === 0) return
  response.headers.append('vary', 'origin')
  const origin = headers.get('origin')
  if (origin === null || !allowedOrigins.has(origin)) return
  response.headers.set('access-control-allow-origin', origin)
  response.headers.set('access-control-allow-credentials', 'true')
  response.headers.set('access-control-expose-headers', 'retry-after, x-request-id')
}
