import { LIMITS, MODEL_CATEGORIES, ROUTES, type RouteName } from '@modelrun/contract'
import type { Exchange } from '../exchange.ts'
import { mayDo } from '../session/keys.ts'
import type { Recorded } from '../session/session.ts'

export interface ApiCall extends Recorded {
  route: RouteName
  /** The id in the path; empty for the list. */
  id: string
}

/** A list of models that was asked for with a query that makes sense, and a key that may read it. */
export interface ListCall extends ApiCall {
  query: { category: string | undefined; search: string | undefined; limit: number; offset: number | undefined }
}

/** Rate limits, and the errors of what stands in front of a service, are open. */
const NOT_ITS_OWN: ReadonlySet<number> = /* @__PURE__ */ new Set([429, 502, 503, 504])

/** Whether a response is the service's own and not one of what limits or carries requests. */
export function isItsOwn({ response }: Pick<Recorded, 'response'>): boolean {
  return !NOT_ITS_OWN.has(response.status)
}

const PATTERNS = /* @__PURE__ */ Object.entries(ROUTES).map(([name, { method, path }]) => ({
  route: name as RouteName, // a key of the constant
  method,
  pattern: new RegExp(`${path.replace(/\{\w+\}/, '([^/]+)')}$`),
}))

/** Each request is to one endpoint at most: no two share method and pattern. */
function routeOf(method: string, url: string): Pick<ApiCall, 'route' | 'id'> | undefined {
  const [path = ''] = url.split('?')
  const found = PATTERNS.find((one) => one.method === method && one.pattern.test(path))
  return found && { route: found.route, id: decodeURIComponent(found.pattern.exec(path)?.[1] ?? '') }
}

/** Where a body comes from, in a sentence: the endpoint, or a delivery. */
export function originOf({ direction, request: { method, url } }: Exchange): string {
  if (direction === 'received') return 'delivery'
  const { route } = routeOf(method, url) ?? {}
  return `${method} ${route === undefined ? url.replace(/^https?:\/\/[^/]*/, '') : ROUTES[route].path}`
}

export function apiCallOf(call: Recorded): ApiCall[] {
  const found = routeOf(call.method, call.path)
  return found === undefined ? [] : [{ ...call, ...found }]
}

export function listCallOf(call: ApiCall): ListCall[] {
  const { category, search, limit, offset } = Object.fromEntries(new URLSearchParams(call.path.split('?')[1]))
  if (call.isOpen || !mayDo(call.key, call.route)) return []
  const isNamed = category === undefined || MODEL_CATEGORIES.some((one) => one === category)
  const page = {
    limit: Number(limit ?? LIMITS.modelsPageDefault),
    offset: offset === undefined ? undefined : Number(offset),
  }
  return isNamed ? [{ ...call, query: { category, search, ...page } }] : []
}
