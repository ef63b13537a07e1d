import type { ResolvedFetchOptions } from './fetch-options.ts'

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
   * JSON as text. A `Blob` at run time where a middleware made another request of it, and in Deno, whose own `fetch`
   * would send text a second time when a connection breaks.
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

/** One request, as `fetch` gets it. */
export interface FetchRequest {
  url: string
  init: FetchInit
  fetchOptions: ResolvedFetchOptions
}

/** Calls the client's `fetch`, or the global one, which is read at each call. */
export async function callFetch(
  fetch: FetchLike | undefined,
  { url, init, fetchOptions }: FetchRequest,
): Promise<Response> {
  return toResponse(await (fetch ?? globalThis.fetch)(url, Object.assign({}, fetchOptions, init)))
}

function toResponse(found: FetchResponse): Response {
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
