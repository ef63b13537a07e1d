import { fetchFailed } from '../faults/network-errors.ts'
import { type Handle, toResponse } from '../wire/messages.ts'

const ADVICE =
  'modelrun-reference-server: queueMicrotask is faked, and without it no runtime reads the body of a request or a ' +
  "response: calls hang until the fake time moves. Leave it alone: jest.useFakeTimers({ doNotFake: ['queueMicrotask', " +
  "'nextTick'] }), or vi.useFakeTimers() without queueMicrotask in toFake."

/** Makes a check that warns, once, of fake timers under which nothing can work; it cannot help by itself. */
function createFakeTimerCheck(): () => void {
  let isWarned = false
  return () => {
    // The libraries that fake it, Jest's and vitest's, mark what they put in its place.
    if (isWarned || !('clock' in globalThis.queueMicrotask)) return
    isWarned = true
    console.warn(ADVICE)
  }
}

/** The mark of a `fetch` that reports refused connections as undici, under Node's `fetch`, does. The client reads it. */
const REPORTS_LIKE_UNDICI = { [Symbol.for('modelrun.reports_like_undici')]: true }

/** A drop-in for the global `fetch` on top of a server: rejects when it is aborted, as the global one does. */
export function createFetch(
  handle: Handle,
  server: { readonly baseUrl: string },
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  const checkTimers = createFakeTimerCheck()
  const serverFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    checkTimers()
    const request = new Request(input instanceof Request ? input : new URL(input, server.baseUrl), init)
    const { signal } = request
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      void handle(request, { transport: 'fetch' }).then((handled) => {
        signal.removeEventListener('abort', abort)
        if (handled.status === undefined) reject(fetchFailed(handled.fault, request.url))
        else resolve(toResponse(handled))
      })
    })
  }
  return Object.assign(serverFetch, REPORTS_LIKE_UNDICI)
}
