import { ROUTES, type RouteName } from '@modelrun/contract'
import { closestName } from '@modelrun/kit'
import * as z from 'zod/mini'
import { decodeSegment, withModelAsSegment } from '../wire/router.ts'

/** Where a fault can be injected: an endpoint of section 4, or a produced file. */
export type FaultEndpoint = RouteName | 'getFile'

/**
 * Which requests a fault is for: an endpoint by its name, or a method and a path below the base address, such as
 * `'GET /v1/jobs/*'`. A `*` stands for any method, or for a segment of the path or a part of one; a model id is one
 * segment, so that `'GET /v1/models/northlight/*'` means the models of a provider. `{id}` stands for a segment too.
 */
export type FaultRoute = FaultEndpoint | RoutePattern

/** A method and a path. */
export type RoutePattern = `${PatternMethod} /${string}`

type PatternMethod = 'GET' | 'POST' | 'DELETE' | '*'

/** A request as a route sees it. */
export interface RoutedRequest {
  endpoint: FaultEndpoint
  method: string
  /** Below the base address, still percent-encoded. */
  path: string
}

const ENDPOINTS: Readonly<Record<FaultEndpoint, { method: string; path: string }>> = {
  ...ROUTES,
  getFile: { method: 'GET', path: '/files/{job}/{name}' },
}

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as FaultEndpoint[] // the record's type says that these are its keys

export const faultRouteSchema = /* @__PURE__ */ (() =>
  z.union([
    z.enum(ENDPOINT_NAMES),
    z.templateLiteral([z.enum(['GET', 'POST', 'DELETE', '*']), ' /', z.string()]),
  ]))() satisfies z.ZodMiniType<FaultRoute>

/** What is wrong with a route, in words; `undefined` when some request can be meant by it. */
export function routeProblem(route: string): string | undefined {
  if (!z.safeParse(faultRouteSchema, route).success) {
    const closest = closestName(route, ENDPOINT_NAMES)
    const advice = closest === undefined ? `is one of ${ENDPOINT_NAMES.join(', ')}` : `may be ${closest}`
    return `/route: there is no route ${JSON.stringify(route)}. A route ${advice}, or a method and a path such as "GET /v1/jobs/*".`
  }
  if (isEndpoint(route) || Object.values(ENDPOINTS).some((endpoint) => fits(route, endpoint))) return undefined
  const known = Object.values(ENDPOINTS).map(({ method, path }) => `${method} ${path}`)
  return `/route: no request can be ${JSON.stringify(route)}, where a * is one segment. There are: ${known.join(', ')}.`
}

/** Makes a function that checks whether a route matches a request. */
export function routeMatcher(route: FaultRoute): (request: RoutedRequest) => boolean {
  return isEndpoint(route) ? ({ endpoint }) => endpoint === route : (request) => fits(route, request)
}

function isEndpoint(route: string): route is FaultEndpoint {
  return Object.hasOwn(ENDPOINTS, route)
}

/** Whether a pattern and a request, or the template of an endpoint, can be the same. */
function fits(pattern: string, { method, path }: { method: string; path: string }): boolean {
  const space = pattern.indexOf(' ')
  const wanted = segmentsOf(pattern.slice(space + 1))
  const given = segmentsOf(path)
  const isMethod = pattern.startsWith('*') || pattern.slice(0, space) === method
  return isMethod && wanted.length === given.length && wanted.every((segment, index) => isSame(segment, given[index]))
}

function isSame(segment: string, other = ''): boolean {
  if (PLACEHOLDER.test(segment) || PLACEHOLDER.test(other)) return true
  const parts = segment.split('*').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(other)
}

const PLACEHOLDER = /^\{.*\}$/

/** Decoded, so that it does not matter how a model id with a slash was written. */
function segmentsOf(path: string): string[] {
  const isTemplate = path.includes('{') // which an address would encode
  const routed = isTemplate ? path : withModelAsSegment(new URL(`http://host${path}`).pathname)
  return routed.split('/').map(decodeSegment)
}
