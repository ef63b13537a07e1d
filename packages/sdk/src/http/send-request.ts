import type { ResolvedOptions } from '../options.ts'
import type { FetchInit } from './call-fetch.ts'
import { callFetch } from './call-fetch.ts'
import type { ResolvedFetchOptions } from './fetch-options.ts'
import { composeMiddleware } from './middleware.ts'
import { describeNetworkFailure } from './network-failure.ts'

/** What one attempt adds to the request that ky prepared. */
interface SendOptions {
  /** Undefined when a proxy adds the key. */
  apiKey: string | undefined
  signal: AbortSignal
  /** Below `baseUrl`, without query. */
  path: string
  method: string
  body: string | undefined
  fetchOptions: ResolvedFetchOptions
  /** 1 for the first attempt of a call. */
  attempt: number
  /** Called just before a request is sent. A middleware can send more than one. */
  onSend(): void
  /** Called when a request certainly did not reach the service. */
  onUnsent(): void
}

/** Sends a request once and resolves with the head of the response, also for an error status. */
export type SendRequest = (request: Request, options: SendOptions) => Promise<Response>

/** The only place that calls `fetch` for the service. */
export function createSender(client: ResolvedOptions): SendRequest {
  return async (prepared, options) => {
    const { path, method, attempt } = options
    const { url } = prepared
    // A hook may have replaced the request. The key must stay with the service, and a retry must stay the same request.
    if (!url.startsWith(`${client.baseUrl}/`)) throw new TypeError('a hook sent the request away from `baseUrl`')
    if (prepared.method !== method) throw new TypeError(`a hook made a ${prepared.method} of the ${method}`)
    const init = initOf(prepared, options)
    const send = async (to: string, last: FetchInit) => {
      options.onSend()
      try {
        return await callFetch(client.fetch, { url: to, init: last, fetchOptions: options.fetchOptions })
      } catch (error) {
        if (describeNetworkFailure(error).isBeforeConnection) options.onUnsent()
        throw error
      }
    }
    if (client.middleware.length === 0) return await send(url, init)
    const first = new Request(url, init)
    const sendLast = async (request: Request) => await send(request.url, await changedInit(request, { first, init }))
    return await composeMiddleware(client.middleware, { method, path, attempt }, sendLast)(first)
  }
}

function initOf({ headers: prepared, cache }: Request, { apiKey, method, signal, body }: SendOptions): FetchInit {
  // Added here and not to ky's request, because ky's errors would print it.
  const headers: Record<string, string> = Object.fromEntries(prepared)
  if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`
  return {
    method,
    headers,
    signal,
    // Following a redirect would take the key, or a second POST, to another place.
    redirect: 'manual',
    ...(body === undefined ? {} : { body: sendOnce(body) }),
    ...(cache === 'no-store' ? { cache } : {}),
  }
}

/** Members of a request that a middleware may set, besides method, headers, body and signal. */
const CHANGEABLE = ['credentials', 'integrity', 'keepalive', 'mode', 'referrer', 'referrerPolicy'] as const

/**
 * The request after the middlewares. `fetch` gets no `Request`, because the `fetch` of one library does not know the
 * `Request` of another one. Redirects and the cache do not change.
 */
async function changedInit(
  request: Request,
  { first, init: { body, ...init } }: { first: Request; init: FetchInit },
): Promise<FetchInit> {
  const isFirst = request === first
  const { method, headers } = request
  const changed = CHANGEABLE.filter((name) => request[name] !== first[name]).map((name) => [name, request[name]])
  const sent = isFirst ? body : await bodyOf(request)
  return {
    ...init,
    ...Object.fromEntries(changed),
    method,
    headers: Object.fromEntries(headers),
    signal: isFirst ? init.signal : request.signal,
    ...(sent === undefined ? {} : { body: sent }),
  }
}

/** As a Blob: a middleware may have compressed it. */
async function bodyOf(request: Request): Promise<string | undefined> {
  const body = await request.blob()
  return body.size === 0 ? undefined : asText(body)
}

/**
 * Deno's own `fetch` sends a request again when the connection breaks under it, a POST too, which would pay twice
 * (denoland/deno#35610). It does not send a Blob again, which might have been consumed.
 */
function sendOnce(body: string): string {
  return 'Deno' in globalThis ? asText(new Blob([body])) : body
}

/** A `Blob` where text is asked for: every `fetch` takes it, but the types of one platform do not take that of another. */
function asText(body: Blob): string {
  return body as unknown as string
}
