import * as msw from 'msw'
import { type HttpHandler, http } from 'msw'
import { bodyTerminated, connectionError } from '../http/network-errors.ts'
import type { ReferenceServer } from '../reference-server.ts'
import { type ConnectionFault, type ReplyOrFault, toResponse } from '../wire/messages.ts'

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

/** Msw 3 exports it no more. */
const isMsw2 = 'handleRequest' in msw

/**
 * Gives msw what makes its clients meet a fault.
 *
 * @throws Error with the code of the system's own, which msw hands on to the client as the failure of its request
 */
function applyFault(fault: ConnectionFault['fault'], request: Request): Response {
  // Browsers hide why a request failed, and msw there treats a thrown error as a defect.
  if (typeof globalThis.process?.versions?.node !== 'string') return Response.error()
  // Msw 2 would show the head.
  if (fault === 'empty-reply' && !isMsw2) return brokenAtOnce()
  throw errorFor(fault, request.url)
}

/** Msw 3 ends the connection before it has sent the head. Without content-length it would treat the body as complete. */
function brokenAtOnce(): Response {
  const body = new ReadableStream({ start: (controller) => controller.error(bodyTerminated()) })
  return new Response(body, { headers: { 'content-length': '1' } })
}

function errorFor(kind: ConnectionFault['fault'], url: string): Error {
  const error = connectionError(kind, url)
  // With `errno` msw takes it for an error of the system. Clients of msw 2 get it as it is, and look for the code in the
  // cause as they do with any failure of `fetch`.
  return Object.assign(error, { errno: Reflect.get(error, 'errno') ?? -1, cause: connectionError(kind, url) })
}
