import { nodeBuiltin } from '@modelrun/kit'
import type { Pauses } from '../clock/clock.ts'
import { nextTurn } from '../clock/real-time.ts'
import type { ConnectionFault } from '../wire/messages.ts'

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

export function fetchFailed(kind: ConnectionFault['fault'], url: string): TypeError {
  const cause = connectionError(kind, url)
  if (kind === 'refused') reportAsUndici(cause, new URL(url))
  return new TypeError('fetch failed', { cause })
}

/** Undici, the HTTP client under Node's `fetch`, reports each connection that it could not make. Clients go by that. */
function reportAsUndici(error: Error, { protocol, hostname, port }: URL): void {
  const channels = nodeBuiltin('node:diagnostics_channel')
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

/** In how many parts a slow body comes. */
const PARTS = 4

/** A body that breaks off after these bytes. */
export function cutBody(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isSent = bytes.byteLength === 0
  return new ReadableStream({
    // Only when the bytes have been read: an error drops what waits in the stream.
    async pull(controller) {
      if (!isSent) {
        isSent = true
        return controller.enqueue(bytes)
      }
      // Msw 3 needs a turn to hand on what it has read.
      await nextTurn()
      controller.error(bodyTerminated())
    },
  })
}

interface SlowBodyOptions {
  /** Until the last part, on the server's clock. */
  delayMs: number
  pauses: Pauses
  /** Aborted when the client is gone. */
  signal: AbortSignal
}

/** A body that comes in equal parts at equal intervals, read or not. */
export function slowBody(
  bytes: Uint8Array<ArrayBuffer>,
  options: SlowBodyOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = new AbortController()
  return new ReadableStream({
    start: (controller) => void sendSlowly(bytes, controller, { ...options, reader: reader.signal }),
    cancel: () => reader.abort(),
  })
}

async function sendSlowly(
  bytes: Uint8Array<ArrayBuffer>,
  controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>,
  { delayMs, pauses, signal, reader }: SlowBodyOptions & { reader: AbortSignal },
): Promise<void> {
  const anyEnd = AbortSignal.any([signal, reader])
  for (let part = 1; part <= PARTS; part++) {
    const hasPassed = await pauses.pause(delayMs / PARTS, anyEnd)
    if (reader.aborted) return
    if (!hasPassed) return controller.error(signal.aborted ? signal.reason : bodyTerminated())
    const chunk = bytes.subarray(partStart(bytes, part - 1), partStart(bytes, part))
    if (chunk.byteLength > 0) controller.enqueue(chunk)
  }
  controller.close()
}

function partStart(bytes: Uint8Array<ArrayBuffer>, part: number): number {
  return Math.floor((bytes.byteLength * part) / PARTS)
}
