import { ROUTES, type RouteName } from '@modelrun/contract'
import type { ReferenceServer } from '@modelrun/reference-server'
import type { ConformanceOptions } from '../../packages/conformance/src/options.ts'
import { requirementsOf } from '../../packages/conformance/src/requirements.ts'
import type { Deliver, ReferenceService } from '../../packages/conformance/test/reference-service.ts'

/** A request to the server. */
export interface WireRequest {
  method: string
  url: URL
  authorization: string | null
  /** Parsed when it is JSON, else text; `undefined` for none. */
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
export type Send = (request: WireRequest) => Promise<WireResponse>

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

/** A service that breaks one rule. */
export interface Mutant {
  /** Section and sentence of the specification that it breaks. */
  sentence: string
  /** The fault, in words. */
  breaks: string
  mutation: Mutation
  /** Id of a check that must fail, among others. Each check of a statement has such a mutant. */
  check?: string | undefined
}

/**
 * A fault: what it breaks, in words; how; and a check that must fail, among others. What it breaks is a sentence of the
 * specification, or the id of a check, whose statements it breaks.
 */
export type Row = readonly [sentence: string, breaks: string, mutation: Mutation, check?: string]

/** A service for each fault. */
export function mutants(rows: readonly Row[]): Mutant[] {
  return rows.map(([sentence, breaks, mutation, check]) => {
    const statements = requirementsOf(sentence).map(({ id, statement }) => `${id} ${statement}`)
    return statements.length === 0
      ? { sentence, breaks, mutation, check }
      : { sentence: statements.join(' '), breaks, mutation, check: sentence }
  })
}

export type Edit = (response: WireResponse, request: WireRequest) => void

/** Changes the responses of an endpoint. */
export function edited(route: RouteName, ...edits: readonly Edit[]): Mutation {
  return editedWhere((request) => isFor(request, route), ...edits)
}

/** Changes the responses to some requests. */
export function editedWhere(isWanted: (request: WireRequest) => boolean, ...edits: readonly Edit[]): Mutation {
  return {
    wrap: (send) => async (request) => {
      const response = await send(request)
      if (isWanted(request)) for (const edit of edits) edit(response, request)
      return response
    },
  }
}

/** Changes requests before the server sees them. */
export function editRequests(
  route: RouteName,
  edit: (request: WireRequest, server: ReferenceServer) => void,
): Mutation {
  return {
    wrap: (send, server) => async (request) => {
      if (isFor(request, route)) edit(request, server)
      return send(request)
    },
  }
}

/** Applies edits only to some responses. */
export function when(
  isWanted: (response: WireResponse, request: WireRequest) => boolean,
  ...edits: readonly Edit[]
): Edit {
  return (response, request) => {
    if (isWanted(response, request)) for (const edit of edits) edit(response, request)
  }
}

export function status(code: number): Edit {
  return (response) => {
    response.status = code
  }
}

/** Sets the value at a pointer, where `*` is every item. A function gets the old value; `undefined` removes it. */
export function put(pointer: string, value: unknown): Edit {
  return (response) => {
    response.json = putAt(response.json, pointer.split('/').slice(1), value)
  }
}

export function take(pointer: string): Edit {
  return put(pointer, undefined)
}

function putAt(parent: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return typeof value === 'function' ? value(parent) : value
  if (Array.isArray(parent)) {
    return parent.map((item, index) => (name === '*' || name === String(index) ? putAt(item, rest, value) : item))
  }
  if (typeof parent !== 'object' || parent === null) return parent
  const members = new Map(Object.entries(parent))
  for (const one of name === '*' ? [...members.keys()] : [name]) {
    if (rest.length === 0 || members.has(one)) members.set(one, putAt(members.get(one), rest, value))
  }
  return Object.fromEntries([...members].filter(([, member]) => member !== undefined))
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
    const response = await server.fetch(url, {
      ...init,
      method,
      headers,
      ...(text === undefined ? {} : { body: text }),
    })
    const bytes = await response.arrayBuffer()
    return { status: response.status, headers: new Headers(response.headers), json: parse(bytes), bytes }
  }
  const mutated = wrap?.(send, server, options.keys ?? {}) ?? send
  return async (url: string, init: RequestInit): Promise<Response> => {
    const authorization = new Headers(init.headers).get('authorization')
    const body = init.body === undefined ? undefined : (parseText(String(init.body)) ?? String(init.body))
    const response = await mutated({ method: init.method ?? 'GET', url: new URL(url), authorization, body, init })
    const { status: code, headers, json, bytes } = response
    headers.delete('content-length')
    const content = json === undefined ? bytes : JSON.stringify(json)
    return new Response(code === 204 ? null : content, { status: code, headers })
  }
}

/** Images of the reference server take longer to draw than everything else of a run of the suite. */
function aFile(): WireResponse {
  const headers = new Headers({ 'content-type': 'image/png' })
  return {
    status: 200,
    headers,
    json: undefined,
    bytes: new TextEncoder().encode('an image').buffer,
  }
}

function parse(bytes: ArrayBuffer): unknown {
  return parseText(new TextDecoder().decode(bytes))
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
