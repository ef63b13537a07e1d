import { routePath } from '@modelrun/contract'
import type { Options } from 'ky'
import type { ResolvedOptions } from '../options.ts'
import { type ResolvedFetchOptions, readFetchOptions } from './fetch-options.ts'
import type { CallOptions, Operation } from './operation.ts'
import { mergeHeaders } from './request-headers.ts'

/** The parts of a ky request. The API key is not among them: it is added at each attempt. */
export interface KyRequest {
  /** Below `baseUrl`, without query. */
  path: string
  options: Options
  /** The JSON to send. ky does not get it: it would copy it for each retry. */
  body: string | undefined
  /** For `fetch`, past ky: it would make a `Request` of them, which the `fetch` of another library does not know. */
  fetchOptions: ResolvedFetchOptions
}

/** @throws TypeError, ConfigurationError when an argument cannot become a request */
export type BuildRequest = (operation: Operation<unknown>, call: CallOptions) => KyRequest

export function createRequestBuilder(client: ResolvedOptions): BuildRequest {
  // Tested at the first call, because making a `Request` loads Node's HTTP client.
  let takesCache: boolean | undefined
  return (operation, call) => {
    takesCache ??= takesCacheOption()
    return kyRequest(operation, { client, call, takesCache })
  }
}

interface RequestParts {
  client: ResolvedOptions
  call: CallOptions
  takesCache: boolean
}

function kyRequest(operation: Operation<unknown>, { client, call, takesCache }: RequestParts): KyRequest {
  const { method } = operation.route
  const body = toJson(operation.body)
  // `Headers`, because ky distinguishes `X-Name` from `x-name` when it merges plain objects.
  const headers = mergeHeaders(client.headers, call.headers)
  headers.set('accept', 'application/json')
  if (body !== undefined) headers.set('content-type', 'application/json')
  const options: Options = {
    method,
    headers,
    ...(operation.query === undefined ? {} : { searchParams: operation.query }),
    ...(takesCache ? { cache: 'no-store' } : {}),
  }
  const fetchOptions = { ...client.fetchOptions, ...readFetchOptions(call.fetchOptions) }
  return { path: routePath(operation.route, operation.parameters), options, body, fetchOptions }
}

/** @throws TypeError with a message of our own: the engines' messages differ and take many lines */
function toJson(body: unknown): string | undefined {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new TypeError('its body holds what JSON cannot: a BigInt, an object within itself, or a getter that throws', {
      cause,
    })
  }
}

/**
 * Some runtimes reject the field. Without it, frameworks that patch `fetch` would cache a job's status for ever, and some
 * would return an old response for the same POST.
 */
function takesCacheOption(): boolean {
  try {
    return new Request('https://modelrun.invalid', { cache: 'no-store' }).cache === 'no-store'
  } catch {
    return false
  }
}
