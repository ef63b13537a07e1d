import type { ConnectionFault } from '../http/messages.ts'

/**
 * The error that Node's own network code makes for a fault: clients go by its `code`.
 *
 * @param url of the request, whose host goes into the message
 */
export function connectionError(kind: ConnectionFault['fault'], url: string): Error {
  switch (kind) {
    case 'reset':
      return Object.assign(new Error('read ECONNRESET'), { errno: -104, code: 'ECONNRESET', syscall: 'read' })
    case 'refused':
      return connectionRefused(new URL(url))
    case 'empty-reply':
      return socketEnded()
  }
}

/** What reading a body rejects with when the connection ends before it does. */
export function bodyTerminated(): TypeError {
  return new TypeError('terminated', { cause: socketEnded() })
}

/** The error of `fetch` without a response. */
export function fetchFailed(kind: ConnectionFault['fault'], url: string): TypeError {
  const cause = connectionError(kind, url)
  if (kind === 'refused') reportAsUndici(cause, new URL(url))
  return new TypeError('fetch failed', { cause })
}

/** Undici, the HTTP client under Node's `fetch`, names the host of each connection that it could not make. Clients go by that. */
function reportAsUndici(error: Error, { protocol, hostname, port }: URL): void {
  const channels = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')
  const connectParams = { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port }
  channels?.channel('undici:client:connectError').publish({ connectParams, error })
}

function connectionRefused({ hostname, port, protocol }: URL): Error {
  const portNumber = Number(port || (protocol === 'https:' ? 443 : 80))
  const system = { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', address: hostname, port: portNumber }
  return Object.assign(new Error(`connect ECONNREFUSED ${hostname}:${portNumber}`), system)
}

/** Undici's error, by name and code. */
function socketEnded(): Error {
  return Object.assign(new Error('other side closed'), { name: 'SocketError', code: 'UND_ERR_SOCKET' })
}
