import type { ResolvedOptions } from '../options.ts'
import type { FetchInit, FetchResponse } from './fetch-like.ts'
import type { ResolvedFetchOptions } from './fetch-options.ts'

/** One request, as `fetch` gets it. */
export interface FetchRequest {
  url: string
  init: FetchInit
  fetchOptions: ResolvedFetchOptions
}

/** Calls the client's `fetch`, or the global one, which is looked up each time. */
export async function callFetch(
  { fetch }: Pick<ResolvedOptions, 'fetch'>,
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
