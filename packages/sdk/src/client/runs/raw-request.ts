import { ConfigurationError, toUrl } from '@modelrun/kit'
import type { CallOptions, Operation, ReceivedResponse, RequestMethod } from '../http/operation.ts'
import { parseJson } from '../http/read-response.ts'
import { holdOf } from './run-operation.ts'

/** Options of `client.request`. */
export interface RequestOptions extends CallOptions {
  /** Query parameters; those that are undefined are left out. */
  query?: Record<string, string | number | boolean | undefined> | undefined
  /** Sent as JSON. */
  body?: unknown
}

const RUN_PATH = /^\/v1\/models\/[^/]+\/run$/

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies RequestMethod[]

/** A call of any path of the service, with the safety of all other calls. @throws ConfigurationError */
export function rawOperation(method: string, path: string, options: RequestOptions): Operation<unknown> {
  const { query, body } = options
  const route = { method: checkMethod(method), path: checkPath(path) }
  if (route.method === 'GET' && body !== undefined) {
    throw new ConfigurationError({
      message: 'A GET of client.request has no `body`: pass `query`, or use another method. Nothing was sent.',
    })
  }
  // Only reading and cancelling are known to be free.
  const isFree = route.method === 'GET' || route.method === 'DELETE'
  const isRunOfModel = route.method === 'POST' && RUN_PATH.test(path)
  return {
    route,
    query,
    body,
    isRun: !isFree,
    noun: isRunOfModel ? 'run' : 'request',
    ...(isRunOfModel ? { holdMs: holdOf(body) } : {}),
    read: (received) => (isEmpty(received) ? undefined : parseJson(received)),
  }
}

function checkMethod(method: string): RequestMethod {
  const upper = String(method).toUpperCase()
  // The list has no other members.
  if (METHODS.includes(upper)) return upper as RequestMethod
  throw new ConfigurationError({
    message: `The method of client.request must be one of ${METHODS.join(', ')}, not ${JSON.stringify(method)}. Nothing was sent.`,
  })
}

/** Rejects a path that a URL parser would change: the request would reach another endpoint. */
function checkPath(path: string): string {
  const base = 'https://service.invalid'
  if (typeof path === 'string' && toUrl(path, base)?.pathname === path) return path
  throw new ConfigurationError({
    message: `The path of client.request must start with / and be percent-encoded, like /v1/models; the query goes into \`query\`. Got ${JSON.stringify(path)}. Nothing was sent.`,
  })
}

function isEmpty({ text, isCut, problem }: ReceivedResponse): boolean {
  return text.trim() === '' && !isCut && problem === undefined
}
