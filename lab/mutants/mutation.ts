import { ROUTES, type RouteName } from '@modelrun/contract'
import { tryParseJson } from '@modelrun/kit'
import type { ReferenceServer } from '@modelrun/reference-server'
import type { ConformanceOptions } from '../../packages/conformance/src/options.ts'
import type { Deliver, ReferenceService } from '../../packages/conformance/test/reference-service.ts'

/** A request to the server. */
export interface WireRequest {
  method: string
  url: URL
  authorization: string | null
  /** Parsed when it is JSON, else a string; `undefined` for none. */
  body: unknown
  init: RequestInit
}

/** A response of the server. */
export interface WireResponse {
  status: number
  headers: Headers
  json: unknown
  /** The body when it is not JSON. */
  bytes: ArrayBuffer
}

/** Sends a request to the server. */
type Send = (request: WireRequest) => Promise<WireResponse>

/** The keys that the suite is given beside the one with all permissions. */
export type Keys = NonNullable<ConformanceOptions['keys']>

/** Breaks one rule of a service. */
export interface Mutation {
  /** Wraps requests and responses. */
  wrap?: (send: Send, server: ReferenceServer, keys: Keys) => Send
  /** Wraps deliveries. */
  tamper?: (deliver: Deliver) => Deliver
  /** Changes the options of the suite, for rules that are not on the wire. */
  options?: (service: ReferenceService) => Partial<ConformanceOptions>
}

/** Services that break one rule: by the id of a check that must fail, among others, and by what they break, in words. */
export type Mutants = Readonly<Record<string, Readonly<Record<string, Mutation>>>>

/** What a mutation acts on, beside a request. */
export interface Place {
  send: Send
  server: ReferenceServer
  keys: Keys
}

/** Acts on each request before the server sees it. */
export function before(act: (request: WireRequest, place: Place) => unknown): Mutation {
  return {
    wrap: (send, server, keys) => async (request) => {
      await act(request, { send, server, keys })
      return send(request)
    },
  }
}

/** Acts on each response before the suite sees it. */
export function after(act: (response: WireResponse, request: WireRequest, place: Place) => unknown): Mutation {
  return {
    wrap: (send, server, keys) => async (request) => {
      const response = await send(request)
      await act(response, request, { send, server, keys })
      return response
    },
  }
}

/** Replaces the handling of some requests. */
export function instead(
  isWanted: (request: WireRequest) => boolean,
  respond: (request: WireRequest, place: Place) => Promise<WireResponse>,
): Mutation {
  return {
    wrap: (send, server, keys) => (request) =>
      isWanted(request) ? respond(request, { send, server, keys }) : send(request),
  }
}

/** Changes requests to an endpoint before the server sees them. */
export function editRequests(route: RouteName, edit: (request: WireRequest) => unknown): Mutation {
  return before((request) => isFor(request, route) && edit(request))
}

const PATTERNS = Object.entries(ROUTES).map(([name, { method, path }]) => ({
  name,
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}))

export function isFor({ method, url }: WireRequest, route: RouteName): boolean {
  return PATTERNS.some((one) => one.name === route && one.method === method && one.pattern.test(url.pathname))
}

/** The `fetch` of a server with a rule broken. */
export function mutatedFetch({ server, options }: ReferenceService, { wrap }: Mutation) {
  const send: Send = async ({ method, url, authorization, body, init }) => {
    if (url.pathname.startsWith('/files/')) return aFile()
    const headers = new Headers(init.headers)
    if (authorization === null) headers.delete('authorization')
    else headers.set('authorization', authorization)
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const sent = { ...init, method, headers, ...(text === undefined ? {} : { body: text }) }
    const response = await server.fetch(url, sent)
    const bytes = await response.arrayBuffer()
    const json = tryParseJson(new TextDecoder().decode(bytes))
    return { status: response.status, headers: new Headers(response.headers), json, bytes }
  }
  const mutated = wrap?.(send, server, options.keys ?? {}) ?? send
  return async (url: string, init: RequestInit): Promise<Response> => {
    const authorization = new Headers(init.headers).get('authorization')
    const body = init.body === undefined ? undefined : (tryParseJson(String(init.body)) ?? String(init.body))
    const response = await mutated({ method: init.method ?? 'GET', url: new URL(url), authorization, body, init })
    const { status, headers } = response
    headers.delete('content-length')
    return new Response(status === 204 ? null : bodyOf(response), { status, headers })
  }
}

/** The body as it is sent. */
export function bodyOf({ json, bytes }: Pick<WireResponse, 'json' | 'bytes'>): string | ArrayBuffer {
  return json === undefined ? bytes : JSON.stringify(json)
}

/** Images of the reference server take longer to draw than everything else of a run of the suite. */
function aFile(): WireResponse {
  const headers = new Headers({ 'content-type': 'image/png' })
  return { status: 200, headers, json: undefined, bytes: new TextEncoder().encode('an image').buffer }
}
