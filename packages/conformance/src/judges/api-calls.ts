import { LIMITS, MODEL_CATEGORIES, ROUTES, type RouteName } from '@modelrun/contract'
import { at } from '../json.ts'
import { mayDo } from '../session/keys.ts'
import type { Recorded } from '../session/session.ts'

/** A request to an endpoint of section 4, with its response. */
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
  pattern: new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`),
}))

/** Each request is to one endpoint at most: no two share method and pattern. */
export function routeOf(method: string, path: string): Pick<ApiCall, 'route' | 'id'> | undefined {
  const matches = PATTERNS.filter((one) => one.method === method).flatMap(({ route, pattern }) => {
    const match = pattern.exec(path.split('?')[0] ?? '')
    return match === null ? [] : { route, id: decodeURIComponent(match[1] ?? '') }
  })
  return matches[0]
}

export function apiCallOf(call: Recorded): ApiCall[] {
  const found = routeOf(call.method, call.path)
  return found === undefined ? [] : [{ ...call, ...found }]
}

export function listCallOf(call: ApiCall): ListCall[] {
  const parameters = new URLSearchParams(call.path.split('?')[1])
  const { category, search, ...page } = Object.fromEntries(parameters)
  const isNamed = Object.keys(page).every((name) => name === 'limit' || name === 'offset')
  const limit = Number(page.limit ?? LIMITS.modelsPageDefault)
  const offset = page.offset === undefined ? undefined : Number(page.offset)
  const isPage = limit >= 1 && limit <= LIMITS.modelsPageMax && (offset ?? 0) >= 0
  const isCategory = category === undefined || MODEL_CATEGORIES.some((one) => one === category)
  const isAsked = isNamed && isPage && isCategory && !call.isOpen && mayDo(call.key, call.route)
  return isAsked ? [{ ...call, query: { category, search, limit, offset } }] : []
}

/** Whether a run needs `jobs:write`, `models:read`, or with a webhook `webhooks:manage`, is open. */
export function isOpenForKey({ route, key, body }: ApiCall): boolean {
  const lacksManage = key.lacks.includes('webhooks:manage') && at(body, '/webhook_url') !== undefined
  const mayNeed = key.lacks.some((permission) => permission === 'jobs:write' || permission === 'models:read')
  return route === 'runModel' && (mayNeed || lacksManage)
}
