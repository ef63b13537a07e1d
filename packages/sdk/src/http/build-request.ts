import { routePath } from '@modelrun/contract'
import { ConfigurationError } from '../errors/local-errors.ts'
import type { ResolvedOptions } from '../options.ts'
import type { CallOptions, Operation } from './operation.ts'

/** An HTTP request without its credentials: those are added at each attempt. */
export interface PreparedRequest {
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  headers: Headers
  body: string | undefined
  /** Path without query, below the base address. */
  path: string
}

/** @throws ConfigurationError when an argument cannot become a request. */
export function buildRequest(
  operation: Operation<unknown>,
  options: ResolvedOptions,
  call: CallOptions,
): PreparedRequest {
  try {
    const { method } = operation.route
    const path = routePath(operation.route, operation.parameters)
    const body = operation.body === undefined ? undefined : JSON.stringify(operation.body)
    const headers = readHeaders({ ...options.headers, ...call.headers })
    headers.set('accept', 'application/json')
    if (body !== undefined) headers.set('content-type', 'application/json')
    return {
      method,
      url: `${options.baseUrl}${path}${queryString(operation.query)}`,
      headers,
      body,
      path,
    }
  } catch (error) {
    throw new ConfigurationError({
      message: `The call cannot become an HTTP request: ${error instanceof Error ? error.message : String(error)} Nothing was sent.`,
    })
  }
}

/** Names a header that HTTP does not allow, but not its value, which the platform's own error would print. */
function readHeaders(values: Record<string, string>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(values)) {
    try {
      headers.set(name, value)
    } catch {
      throw new TypeError(`The header ${JSON.stringify(name)} has a name or a value that HTTP does not allow.`)
    }
  }
  return headers
}

function queryString(query: Operation<unknown>['query']): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}
