import { createFakeTimerCheck } from '../clock/fake-timer-check.ts'
import { isFault } from '../faults/fault.ts'
import { fetchFailed } from '../faults/network-errors.ts'
import type { Handle } from './handle.ts'

/** A drop-in for the global `fetch` on top of a server: rejects when it is aborted, as the global one does. */
export function createFetch(
  handle: Handle,
  baseUrl: () => string,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  const checkTimers = createFakeTimerCheck()
  return async (input, init) => {
    checkTimers()
    const request = new Request(input instanceof Request ? input : new URL(input, baseUrl()), init)
    const { signal } = request
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      void handle(request, { transport: 'fetch' }).then((handled) => {
        signal.removeEventListener('abort', abort)
        if (!isFault(handled)) resolve(handled)
        else if ('open' in handled) resolve(handled.open())
        else reject(fetchFailed(handled.kind, request.url))
      })
    })
  }
}
