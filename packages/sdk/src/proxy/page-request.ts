import { isWorkers } from '@modelrun/kit'
import type { Clock } from '../shared/clock.ts'
import type { FoundBody, ServedRequest } from '../shared/serving/node-listener.ts'
import { type BodyRules, readRequest } from '../shared/serving/read-body.ts'

export interface PageRequest {
  method: string
  url: URL
  headers: Headers
  /** What the framework handed over. */
  raw: unknown
  /** True when the page has gone away before it got the response, as far as that is known. */
  hasLeft(): boolean
  toRequest(): Request
  /** Reads the body within the limits. @throws What the rules make of a problem */
  readBody(): Promise<FoundBody>
}

/** A web-standard request. */
export function fromRequest(request: Request, clock: Clock, rules: BodyRules): PageRequest {
  return {
    method: request.method,
    url: new URL(request.url),
    headers: request.headers,
    raw: request,
    // In Cloudflare Workers, a request can use neither the signal nor the response of another one.
    hasLeft: () => !isWorkers() && request.signal?.aborted === true,
    toRequest: () => request,
    readBody: () => readRequest(request, clock, rules),
  }
}

/** A request of Node or Express. */
export function fromServedRequest({ url = '', headers: sent, ...served }: ServedRequest): PageRequest {
  const headers = toHeaders(sent)
  const absolute = toUrl(url, headers.get('host') ?? 'localhost')
  // Without the body, which is still to be read.
  const toRequest = () => new Request(absolute, { method: served.method, headers })
  return { ...served, url: absolute, headers, toRequest }
}

/** HTTP/2 has names such as `:path`, which are not headers elsewhere. */
function toHeaders(sent: ServedRequest['headers']): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(sent)) {
    if (name.startsWith(':')) continue
    for (const value of [values ?? []].flat()) headers.append(name, value)
  }
  const authority = sent[':authority']
  if (typeof authority === 'string' && !headers.has('host')) headers.set('host', authority)
  return headers
}

/** A host and a port, and nothing that would end the host in a url: the path is that of the request line, whatever the host is. */
const HOST = /^[^/?#@\\\s]+$/

/**
 * The url of a request line. One whose path a url would change (`..`, `%2e%2e`, a backslash, a whole url) has no path here: a guard
 * or a rate limit in front has seen another path than that.
 */
function toUrl(sent: string, host: string): URL {
  const candidates = [`http://${HOST.test(host) ? host : 'localhost'}${sent}`, `http://localhost${sent}`]
  const url = new URL(candidates.find((candidate) => URL.canParse(candidate)) ?? 'http://localhost')
  return url.pathname === sent.split('?', 1)[0] ? url : new URL('http://localhost')
}
