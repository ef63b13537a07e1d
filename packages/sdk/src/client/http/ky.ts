import { routePath } from '@modelrun/contract'
import ky, { type KyInstance, type Options } from 'ky'
import type { ResolvedOptions } from '../options.ts'
import { headersByName, type ResolvedFetchOptions, readFetchOptions } from './fetch.ts'
import type { CallOptions, Operation } from './operation.ts'

/** ky, or the instance of the caller, without what the client decides. */
export function createKy({ baseUrl, ky: instance = ky }: ResolvedOptions): KyInstance {
  return instance.extend({
    prefix: baseUrl,
    // Following a redirect would take the key, or a second POST, to another place.
    redirect: 'manual',
    // ky's timer ends with the head, and knows no clock but the system's: `sendAttempt` has one over head and body.
    timeout: false,
    totalTimeout: false,
    // Only the status policy decides what is sent again.
    retry: 0,
    throwHttpErrors: false,
  })
}

/** The parts of a ky request. The API key is not among them: it is added at each attempt. */
export interface KyRequest {
  /** Below `baseUrl`, without query. */
  path: string
  options: Options
  /** Those of the options, by their names in lower case. */
  headers: Readonly<Record<string, string>>
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
  const headers: Record<string, string> = {
    ...client.headers,
    ...headersByName(call.headers),
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const options: Options = {
    method,
    // ky merges plain objects faster, but distinguishes the `X-Name` of an instance from `x-name` then.
    headers: client.ky === undefined ? headers : new Headers(headers),
    ...(operation.query === undefined ? {} : { searchParams: operation.query }),
    ...(takesCache ? { cache: 'no-store' } : {}),
  }
  const fetchOptions =
    call.fetchOptions === undefined
      ? client.fetchOptions
      : { ...client.fetchOptions, ...readFetchOptions(call.fetchOptions) }
  return { path: routePath(operation.route, operation.parameters), options, headers, body, fetchOptions }
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
