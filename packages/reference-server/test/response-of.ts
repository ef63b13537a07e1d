import type { ServerTransport } from '@modelrun/reference-server'

type ResponseOrFault = Awaited<ReturnType<ServerTransport['handle']>>

/** The response of a server. Fails the test when it was a fault. */
export function responseOf(result: ResponseOrFault): Response {
  if ('kind' in result) throw new Error(`Expected a response, got the fault ${result.kind}.`)
  return result
}
