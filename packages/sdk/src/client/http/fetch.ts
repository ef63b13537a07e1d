import { ConfigurationError, defined, hasMethods, isPlainObject } from '@modelrun/kit'

/**
 * The second argument of {@link FetchLike}, with the members of `fetchOptions` on top. A plain object, which `fetch` of
 * every library takes and which `{ ...init, headers: { ...init.headers } }` copies.
 */
export interface FetchInit {
  /** The HTTP method, in upper case. */
  method: string
  /** With the API key. Names in lower case. */
  headers: Record<string, string>
  /**
   * JSON as text. A `Blob` at run time in Deno, whose own `fetch` would send text a second time when a connection breaks.
   */
  body?: string
  /** Aborts with the call, and when its time is over. */
  signal: AbortSignal
  /**
   * `manual` for calls, because a redirect would take the API key to another place, and for downloads, which follow redirects
   * to safe hosts themselves. `follow` for downloads in browsers, which hide where a redirect leads to.
   */
  redirect: 'manual' | 'follow'
  /** The status of a job must not be an old one. Absent for downloads, and where the runtime does not know it. */
  cache?: 'no-store'
}

/** The result of {@link FetchLike}: a `Response` of any library. */
export interface FetchResponse {
  /** True for a status from 200 to 299. */
  readonly ok: boolean
  /** The HTTP status. */
  readonly status: number
  /** The headers, as those of a `Response`. */
  readonly headers: {
    get(name: string): string | null
    forEach(visit: (value: string, name: string) => void): void
  }
  /** A web stream, or a Node stream as libraries have it that are older than the built-in `fetch`. */
  readonly body: unknown
  /** Reads the whole body. */
  text(): Promise<string>
}

/**
 * A function like `fetch`: the global one, undici's, node-fetch, a function around one of them, `app.request` of a
 * framework. It always gets a url and an object, never a `Request`.
 */
export type FetchLike = (url: string, init: FetchInit) => FetchResponse | PromiseLike<FetchResponse>

/** Calls the client's `fetch`, or the global one, which is read at each call. */
export async function callFetch(
  fetch: FetchLike | undefined,
  { url, init, fetchOptions }: { url: string; init: FetchInit; fetchOptions: ResolvedFetchOptions },
): Promise<Response> {
  return toResponse(await (fetch ?? globalThis.fetch)(url, Object.assign({}, fetchOptions, init)))
}

function toResponse(found: FetchResponse): Response {
  // A mistake of the caller's own function. What else is not a response is found where it is read.
  if (typeof found !== 'object' || found === null) return found
  const { status, headers, body } = found
  // With a web stream, or without a body, it is a response of the platform, or one that does the same.
  if (!isNodeStream(body)) return found as Response
  const copied = new Headers()
  headers.forEach((value, name) => void copied.append(name, value))
  const hasBody = ![204, 205, 304].includes(status)
  return new Response(hasBody ? webStreamOf(body) : null, { status, headers: copied })
}

function isNodeStream(body: unknown): body is AsyncIterable<Uint8Array<ArrayBuffer>> {
  return typeof body === 'object' && body !== null && !('getReader' in body) && Symbol.asyncIterator in body
}

function webStreamOf(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const chunk = await iterator.next()
      if (chunk.done) controller.close()
      else controller.enqueue(chunk.value)
    },
    cancel: async () => {
      await iterator.return?.()
    },
  })
}

/** The members that the client sets itself, and what to use instead of some. */
const OWNED = {
  method: '',
  headers: 'use the option `headers`',
  body: '',
  signal: 'use the option `signal` of the call',
  redirect: 'redirects of calls are not followed, so that the API key stays with `baseUrl`',
  cache: '',
  duplex: '',
  window: '',
} as const

/** A member that the client sets itself is an error, which says what to use instead. */
type OwnedByClient = { [Member in keyof typeof OWNED]?: undefined }

/**
 * Members that `fetch` gets with each request, besides those that the client sets itself. The named ones are known to
 * work; any other one is passed to `fetch` unchanged.
 */
export interface FetchOptions extends OwnedByClient {
  /** Node: an undici `ProxyAgent`, `Agent`, … that suits the version of `fetch`. */
  dispatcher?: unknown
  /** Browsers: whether cookies are sent. Not for downloads, whose files are elsewhere. */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined
  /** Browsers. Not for downloads, whose files are elsewhere. */
  mode?: 'cors' | 'same-origin' | 'no-cors' | undefined
  /** Of other runtimes and libraries: `proxy` and `tls` of Bun, `client` of Deno, `agent` of node-fetch, `next`, `cf`, … */
  [member: string]: unknown
}

/** {@link FetchOptions}, checked, without members that are undefined. */
export type ResolvedFetchOptions = Readonly<Record<string, unknown>>

/** @throws ConfigurationError */
export function readFetchOptions(options: FetchOptions | undefined): ResolvedFetchOptions {
  if (options === undefined) return {}
  // An agent that is passed as it is must not be taken for options: the requests would go past the proxy.
  if (!isPlainObject(options)) {
    throw new ConfigurationError({ message: 'The option `fetchOptions` must be a plain object, like { dispatcher }.' })
  }
  const given: ResolvedFetchOptions = defined(options)
  for (const member of Object.keys(given)) {
    if (!Object.hasOwn(OWNED, member)) continue
    // `hasOwn` has proved it.
    const instead = OWNED[member as keyof typeof OWNED] || 'the client sets it'
    throw new ConfigurationError({ message: `The option \`fetchOptions\` must not have \`${member}\`: ${instead}.` })
  }
  return given
}

/** The options for a file, which may be on any host: `credentials` and `mode` of the client are for the service only. */
export function fileFetchOptions(
  client: ResolvedFetchOptions,
  options: FetchOptions | undefined,
): ResolvedFetchOptions {
  const { credentials: _, mode: __, ...ours } = client
  return { ...ours, ...readFetchOptions(options) }
}

/**
 * Headers as an object, as `Headers` of any library, or as a list of pairs. Members of an object that are undefined are
 * left out. Names are the same in any case.
 */
export type HeadersOption = Headers | Iterable<readonly [string, string]> | Readonly<Record<string, string | undefined>>

/** Of one connection and its body. Those of another request, passed on with its other headers, stall or break this one. */
const OF_CONNECTION = /^(content-encoding|content-length|expect|keep-alive|transfer-encoding|upgrade)$/i

/**
 * Headers by their names in lower case.
 *
 * @throws ConfigurationError It names the header, but not its value, which the platform's own error would print.
 */
export function headersByName(option: HeadersOption | undefined): Readonly<Record<string, string>> {
  if (option === undefined) return {}
  const headers = new Headers()
  for (const [name, value] of listHeaders(option)) {
    try {
      if (typeof value !== 'string' || OF_CONNECTION.test(name)) throw new TypeError()
      headers.append(name, value)
    } catch {
      const message = `The header ${JSON.stringify(name)} has a name or a value that HTTP does not allow here: leave it out.`
      throw new ConfigurationError({ message })
    }
  }
  return Object.fromEntries(headers)
}

/** Names and values. @throws ConfigurationError when it is neither an object nor a list of pairs */
function listHeaders(option: unknown): [string, unknown][] {
  if (typeof option === 'object' && option !== null) {
    const list: unknown[] = hasMethods(option, Symbol.iterator)
      ? [...(option as Iterable<unknown>)]
      : Object.entries(defined(option))
    const isPair = (pair: unknown): pair is [string, unknown] => Array.isArray(pair) && pair.length === 2
    if (list.every(isPair)) return list
  }
  throw new ConfigurationError({
    message: "The option `headers` must be an object, like { 'x-tenant': 'a' }, or `Headers`, or a list of pairs.",
  })
}
