import type { Permission } from './auth.ts'

/** One endpoint of section 4. */
export interface Route {
  /** HTTP method. */
  method: 'GET' | 'POST' | 'DELETE'
  /** Path template, relative to the base URL. A parameter is one percent-encoded path segment. */
  path: string
  /**
   * The permission that a key needs. Section 5 leaves the mapping open; this is the plain reading of its table, where
   * running needs `models:run` and cancelling `jobs:write`.
   */
  permission: Permission
}

/** Every endpoint of the service (section 4), under the version prefix `/v1` (section 9). */
export const ROUTES = {
  listModels: { method: 'GET', path: '/v1/models', permission: 'models:read' },
  getModel: { method: 'GET', path: '/v1/models/{id}', permission: 'models:read' },
  runModel: { method: 'POST', path: '/v1/models/{model}/run', permission: 'models:run' },
  getJob: { method: 'GET', path: '/v1/jobs/{id}', permission: 'jobs:read' },
  cancelJob: { method: 'DELETE', path: '/v1/jobs/{id}', permission: 'jobs:write' },
} as const satisfies Record<string, Route>

/** Name of an endpoint. */
export type RouteName = keyof typeof ROUTES

/** Fills a path template; each value becomes one percent-encoded segment, so ids may contain `/`. */
export function routePath(route: Pick<Route, 'path'>, parameters: Record<string, string> = {}): string {
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name]
    // URL parsers fold the segments `.` and `..` away, encoded or not: the request would reach another endpoint.
    // Half a character (a lone surrogate) cannot be encoded.
    if (value === undefined || /^\.{0,2}$|\p{Cs}/u.test(value)) {
      throw new TypeError(`The path ${route.path} needs an id for {${name}}, not ${JSON.stringify(value)}.`)
    }
    return encodeURIComponent(value)
  })
}
