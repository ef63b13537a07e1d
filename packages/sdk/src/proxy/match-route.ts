import { ROUTES } from '@modelrun/contract'

/** What a request asks for. */
export type MatchedRoute =
  | { name: 'listModels' }
  | { name: 'getModel'; model: string }
  | { name: 'runModel'; model: string }
  | { name: 'getJob'; token: string }
  | { name: 'cancelJob'; token: string }
  | { name: 'notFound' }
  | { name: 'methodNotAllowed'; allow: string }

const MODELS = ROUTES.listModels.path
const JOBS = ROUTES.getJob.path.replace('{id}', '')

/**
 * Finds the route of a path below the proxy. There are these four paths, and a page can name nothing else: what it sends is
 * looked up in lists, and no part of it becomes a url.
 */
export function matchRoute(method: string, sentPath: string): MatchedRoute {
  // Sites with `trailingSlash` redirect each path to the one with a slash at its end.
  const path = sentPath.replace(/\/$/, '')
  if (path === MODELS) return byMethod(method, { GET: { name: 'listModels' } })
  if (path.startsWith(`${MODELS}/`)) return matchModel(method, path.slice(MODELS.length + 1))
  if (path.startsWith(JOBS)) return matchJob(method, path.slice(JOBS.length))
  return { name: 'notFound' }
}

/** Ids of models may hold slashes. Clients send them encoded, and some servers decode them on the way. */
function matchModel(method: string, rest: string): MatchedRoute {
  const runs = rest.endsWith('/run') ? decode(rest.slice(0, -'/run'.length)) : undefined
  const id = decode(rest)
  return byMethod(method, {
    ...(id === undefined ? {} : { GET: { name: 'getModel', model: id } }),
    ...(runs === undefined ? {} : { POST: { name: 'runModel', model: runs } }),
  })
}

/** The ids that a proxy gives need no encoding. */
function matchJob(method: string, token: string): MatchedRoute {
  if (token === '' || token.includes('/')) return { name: 'notFound' }
  return byMethod(method, { GET: { name: 'getJob', token }, DELETE: { name: 'cancelJob', token } })
}

function byMethod(method: string, routes: Partial<Record<string, MatchedRoute>>): MatchedRoute {
  const allow = Object.keys(routes).join(', ')
  if (allow === '') return { name: 'notFound' }
  return (Object.hasOwn(routes, method) ? routes[method] : undefined) ?? { name: 'methodNotAllowed', allow }
}

/** Undefined for what is encoded otherwise than clients do it: a guard in front may look for the normal form. */
function decode(text: string): string | undefined {
  try {
    const id = decodeURIComponent(text)
    const isNormal = id === text || encodeURIComponent(id).toLowerCase() === text.toLowerCase()
    return id !== '' && isNormal ? id : undefined
  } catch {
    return undefined
  }
}
