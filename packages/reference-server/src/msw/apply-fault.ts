import * as msw from 'msw'
import { bodyTerminated, connectionError } from '../faults/network-errors.ts'
import type { ConnectionFault } from '../http/messages.ts'

/** Msw 3 exports it no more. */
const isMsw2 = 'handleRequest' in msw

/**
 * Gives msw what makes its clients meet a fault.
 *
 * @throws Error with the code of the system's own, which msw hands on to the client as the failure of its request
 */
export function applyFault(fault: ConnectionFault['fault'], request: Request): Response {
  // Browsers hide why a request failed, and msw there treats a thrown error as a defect.
  if (!isNode()) return Response.error()
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

function isNode(): boolean {
  return typeof globalThis.process?.versions?.node === 'string'
}
