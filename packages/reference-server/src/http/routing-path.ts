import { ROUTES, type Route } from '@modelrun/contract'

const MODEL_PATH = new RegExp(`^${ROUTES.listModels.path}/(?<id>.+?)(?<run>/run)?$`)

/** The router's pattern of a route. */
export function routePattern(route: Route): string {
  return route.path.replace(/\{(\w+)\}/g, ':$1')
}

/** Path below the base URL, still percent-encoded. */
export function pathBelow(baseUrl: string, requestUrl: string): string {
  const { pathname } = new URL(requestUrl)
  const prefix = new URL(baseUrl).pathname
  return prefix !== '/' && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
}

/**
 * The path for the router: below the base URL, still percent-encoded, and with a model id as one segment. Model ids
 * contain slashes, which clients send encoded or, where that is served, plain.
 */
export function routingPath(baseUrl: string, requestUrl: string): string {
  const path = pathBelow(baseUrl, requestUrl)
  const { id, run = '' } = MODEL_PATH.exec(path)?.groups ?? {}
  return id === undefined ? path : `${ROUTES.listModels.path}/${id.replaceAll('/', '%2F')}${run}`
}

/** Text of a path segment; an invalid encoding stays as it is. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
