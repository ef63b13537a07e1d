import type { ServerTransport } from '@modelrun/reference-server'
import { toResponse } from '../src/wire/messages.ts'

/** The response of a server. Fails the test when the connection broke. */
export function responseOf(result: Awaited<ReturnType<ServerTransport['handle']>>): Response {
  if (result.status === undefined) throw new Error(`Expected a response, got the fault ${result.fault}.`)
  return toResponse(result)
}
