import type { RouteName } from '@modelrun/contract'
import { isRecord } from '@modelrun/kit'

/** A request with its response, as both passed the recorder. */
export interface Exchange {
  method: string
  /** As it was sent, without the query. */
  path: string
  /** With its question mark; empty without one. */
  query: string
  contentType: string
  /** Body of the request. */
  body: string
  status: number
  hasRequestId: boolean
  /** Body of the response; `undefined` when it is not JSON. */
  json: unknown
  /** When the request was sent, in milliseconds. */
  startedAt: number
  /** When the response had come. */
  endedAt: number
}

/** The endpoint that a request is for (section 4). */
export interface Target {
  route: RouteName
  /** Of the model or job, decoded. */
  id: string
  /** Whether the id has a slash that stands in the path as it is. */
  hasPlainSlash: boolean
}

/** @returns `undefined` for a path that the specification does not have */
export function targetOf({ method, path }: Pick<Exchange, 'method' | 'path'>): Target | undefined {
  const [, resource, rest = ''] = /^\/v1\/(models|jobs)(?:\/(.*))?$/.exec(path) ?? []
  const target = (route: RouteName, id: string): Target => ({ route, id: decoded(id), hasPlainSlash: id.includes('/') })
  if (rest === '') return method === 'GET' && resource === 'models' ? target('listModels', '') : undefined
  switch (`${method} ${resource}`) {
    case 'GET models':
      return target('getModel', rest)
    case 'POST models':
      return rest.endsWith('/run') ? target('runModel', rest.slice(0, -'/run'.length)) : undefined
    case 'GET jobs':
      return target('getJob', rest)
    case 'DELETE jobs':
      return target('cancelJob', rest)
    default:
      return undefined
  }
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

/** The members of an object; none of anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** The error in a body (section 7). */
export function errorIn(json: unknown): { code: string; message: string } | undefined {
  const { code, message } = membersOf(membersOf(json).error)
  return typeof code === 'string' ? { code, message: typeof message === 'string' ? message : '' } : undefined
}
