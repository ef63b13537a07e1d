import { type HttpHandler, http } from 'msw'
import { type ReplyOrFault, toResponse } from '../http/messages.ts'
import type { ReferenceServer } from '../reference-server.ts'
import { applyFault } from './apply-fault.ts'

/** The part of a reference server that msw needs. */
export type MockedServer = Pick<ReferenceServer, 'baseUrl' | 'transport'>

/** Options of `handlers`. */
export interface HandlersOptions {
  /**
   * URL at which the service is intercepted. It becomes the server's `baseUrl`, so that the URLs of produced files are
   * below it too. Default: the `baseUrl` that the server has.
   */
  baseUrl?: string | undefined
}

/**
 * Serves the reference server through Mock Service Worker, for clients whose `fetch` and base URL cannot be set.
 *
 * Covers every path below `baseUrl`, produced files and the control API included. Works with `setupServer` and
 * `setupWorker` of msw 2.10 and later and of msw 3. For several services give the handlers of all of them to one network:
 * of two networks that listen, msw uses only the one that started last.
 *
 * @example
 * const network = setupServer(...handlers(server))
 * network.listen({ onUnhandledFrame: 'error' }) // msw 2 calls it onUnhandledRequest
 *
 * @throws ConfigurationError when `baseUrl` is not an http or https URL
 */
export function handlers(server: MockedServer, options: HandlersOptions = {}): HttpHandler[] {
  server.transport.set(options)
  const respond = respondOnce(server)
  return [http.all(pathsBelow(server.baseUrl), ({ request }) => respond(request))]
}

// While two msw servers listen, msw runs the handlers of one twice with the same Request. Without memory a run would be
// started, and charged, twice.
function respondOnce(server: MockedServer): (request: Request) => Promise<Response> {
  const responses = new WeakMap<Request, Promise<ReplyOrFault>>()
  return async (request) => {
    const result = responses.get(request) ?? server.transport.handle(request, { transport: 'msw' })
    responses.set(request, result)
    const known = await result
    return known.status === undefined ? applyFault(known.fault, request) : toResponse(known)
  }
}

// Not a pattern in text: there, characters such as `:` and the brackets of an IPv6 host have a meaning of their own. In the
// normal form of a URL, as msw has it of each request: a capital letter or a default port would match nothing, and the
// request would go to the real service.
function pathsBelow(baseUrl: string): RegExp {
  const { origin, pathname } = new URL(baseUrl)
  const escaped = `${origin}${pathname}`.replace(/\/+$/, '').replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return new RegExp(`^${escaped}(/|$)`)
}
