import type { Handle } from './handle.ts'

/** A drop-in for the global `fetch` on top of a server: rejects when it is aborted, as the global one does. */
export function createFetch(
  handle: Handle,
  baseUrl: () => string,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const request = new Request(input instanceof Request ? input : new URL(input, baseUrl()), init)
    const { signal } = request
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      void handle(request, { transport: 'fetch' }).then((response) => {
        signal.removeEventListener('abort', abort)
        resolve(response)
      })
    })
  }
}
