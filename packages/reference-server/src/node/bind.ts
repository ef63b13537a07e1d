import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { ListenError } from './errors.ts'

/** @throws ListenError that says why the port cannot be bound, and what to do */
export async function bind(nodeServer: Server, port: number, host: string): Promise<AddressInfo> {
  try {
    nodeServer.listen(port, host)
    await once(nodeServer, 'listening')
  } catch (error) {
    throw new ListenError(bindMessage(error, port, host), { cause: error })
  }
  // Bound to a port, so neither null nor the name of a pipe.
  return nodeServer.address() as AddressInfo
}

function bindMessage(error: unknown, port: number, host: string): string {
  const { code, message } = error as NodeJS.ErrnoException // `net` rejects with nothing else
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Stop the program that holds it or take another port; 0 picks a free one.`
    case 'EACCES':
      return `Port ${port} on ${host} needs more rights than this process has. Take a port above 1023; 0 picks a free one.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine. Use 127.0.0.1 for this machine alone, 0.0.0.0 to be reached from others.`
    default:
      return `Cannot listen on port ${port} of ${host}: ${message}`
  }
}

/** The URL of a server for clients. */
export function urlOf(host: string, port: number): string {
  const reachable = LOOPBACK_BY_WILDCARD.get(host) ?? host
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}

/** A client cannot dial "every address", at least not on every system. */
const LOOPBACK_BY_WILDCARD: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

export function doneOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}

/** Stops listening and ends every connection, idle or busy. */
export async function endServer(nodeServer: Server): Promise<void> {
  const closed = once(nodeServer, 'close')
  nodeServer.close()
  // Clients keep idle connections open, and a synchronous run holds one for most of a minute.
  nodeServer.closeAllConnections()
  await closed
}
