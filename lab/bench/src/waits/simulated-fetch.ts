import type { SimulatedService } from './service.ts'

/** A `fetch` that asks the simulated service, without a network. Like the real one, it rejects when its signal aborts. */
export function createSimulatedFetch(service: SimulatedService): typeof fetch {
  return async (input, init = {}) => {
    const { method = 'GET', signal } = init
    const path = new URL(input instanceof Request ? input.url : input).pathname
    // The clients that are measured here send strings.
    const response = service.respond({ method: method.toUpperCase(), path, body: String(init.body ?? '') })
    return Response.json(await untilAborted(response, signal ?? undefined))
  }
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  return await Promise.race([work, promise]).finally(() => signal?.removeEventListener('abort', stop))
}
