import { ROUTES, type Route } from '@modelrun/contract'

const MODEL_PATH = new RegExp(`^${ROUTES.listModels.path}/(?<id>.+?)(?<run>/run)?$`)

/** The router's pattern of a route. */
export function routePattern(route: Route): string {
  return route.path.replace(/\{(\w+)\}/g, ':$1')
}

/**
 * The path that a request is routed by: below the base address, still percent-encoded, and with a model id as one
 * segment. Model ids hold slashes, which clients send encoded or plain.
 */
export function routingPath(baseUrl: string, requestUrl: string): string {
  const { pathname } = new URL(requestUrl)
  const prefix = new URL(baseUrl).pathname
  const path = prefix !== '/' && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
  const { id, run = '' } = MODEL_PATH.exec(path)?.groups ?? {}
  return id === undefined ? path : `${ROUTES.listModels.path}/${id.replaceAll('/', '%2F')}${run}`
}
