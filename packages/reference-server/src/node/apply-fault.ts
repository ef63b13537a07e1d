import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BodyFault, Fault } from '../faults/fault.ts'

/** Applies a fault to a connection. Resolves when it is done. */
export async function applyFault(fault: Fault, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  switch (fault.kind) {
    case 'reset':
    // A listening port cannot refuse a connection; a TCP reset is the closest equivalent.
    case 'refused':
      return void incoming.socket.resetAndDestroy()
    case 'empty-reply':
      await drain(incoming)
      return void incoming.socket.destroy()
    case 'truncated-body':
    case 'slow-body':
      await drain(incoming)
      return sendBody(fault, outgoing)
  }
}

/** A socket that is closed with bytes unread is reset, which is another fault. */
async function drain(incoming: IncomingMessage): Promise<void> {
  if (incoming.readableEnded || incoming.destroyed) return
  const ended = new Promise((resolve) => incoming.once('end', resolve).once('close', resolve))
  incoming.resume()
  await ended
}

async function sendBody(fault: BodyFault, outgoing: ServerResponse): Promise<void> {
  const { status, headers, body } = fault.open()
  outgoing.writeHead(status, Object.fromEntries(headers))
  outgoing.flushHeaders()
  const reader = body?.getReader()
  if (reader === undefined) return void outgoing.end()
  const closed = new Promise((resolve) => outgoing.once('close', resolve))
  void closed.then(() => reader.cancel()).catch(() => {})
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      // The system must have the bytes: what is still in the process is lost with the connection.
      const written = new Promise((resolve) => outgoing.write(part.value, resolve))
      await Promise.race([written, closed])
    }
    outgoing.end()
  } catch {
    // The body says that the connection breaks here.
    outgoing.destroy()
  }
}
