import { ROUTES } from '@modelrun/contract'

export interface MatchedRoute {
  name: 'listModels' | 'getModel' | 'runModel' | 'getJob' | 'cancelJob'
  /** The model, or the sealed id of the job. Empty for the list. */
  id: string
}

/** The routes of a path, by their methods. */
export type PathRoutes = Partial<Record<string, MatchedRoute>>

const MODELS = ROUTES.listModels.path
const JOBS = ROUTES.getJob.path.replace('{id}', '')

/**
 * Finds the routes of a path below the proxy; none for other paths. There are these four paths, and a page can name nothing else:
 * what it sends is looked up in lists, and no part of it becomes a url.
 */
export function findRoutes(sentPath: string): PathRoutes {
  // Sites with `trailingSlash` redirect each path to the one with a slash at its end.
  const path = sentPath.replace(/\/$/, '')
  if (path === MODELS) return { GET: { name: 'listModels', id: '' } }
  if (path.startsWith(`${MODELS}/`)) return modelRoutes(path.slice(MODELS.length + 1))
  const id = path.startsWith(JOBS) ? path.slice(JOBS.length) : ''
  // The ids that a proxy gives need no encoding.
  if (id === '' || id.includes('/')) return {}
  return { GET: { name: 'getJob', id }, DELETE: { name: 'cancelJob', id } }
}

/** Ids of models may hold slashes. Clients send them encoded, and some servers decode them on the way. */
function modelRoutes(rest: string): PathRoutes {
  const runs = rest.endsWith('/run') ? decode(rest.slice(0, -'/run'.length)) : undefined
  const id = decode(rest)
  return {
    ...(id === undefined ? {} : { GET: { name: 'getModel', id } }),
    ...(runs === undefined ? {} : { POST: { name: 'runModel', id: runs } }),
  }
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
