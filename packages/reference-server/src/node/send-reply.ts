import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Reply, ReplyOrFault } from '../wire/messages.ts'

/** Writes a response, or breaks the connection as its fault says. Resolves when it is done. */
export async function sendReply(
  reply: ReplyOrFault,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  switch (reply.fault) {
    case 'reset':
    // A listening port cannot refuse a connection; a TCP reset is the closest equivalent.
    case 'refused':
      return void incoming.socket.resetAndDestroy()
    case 'empty-reply':
      await drain(incoming)
      return void incoming.socket.destroy()
  }
  const { status, headers, body } = reply
  if (typeof body === 'function') return sendStream({ status, headers, body }, incoming, outgoing)
  outgoing.writeHead(status, headers)
  outgoing.end(body)
}

/** A socket that is closed with bytes unread is reset, which is another fault. */
async function drain(incoming: IncomingMessage): Promise<void> {
  if (incoming.readableEnded || incoming.destroyed) return
  const ended = new Promise((resolve) => incoming.once('end', resolve).once('close', resolve))
  incoming.resume()
  await ended
}

async function sendStream(
  { status, headers, body }: Reply & { body: () => ReadableStream<Uint8Array> },
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  await drain(incoming)
  outgoing.writeHead(status, headers)
  outgoing.flushHeaders()
  const reader = body().getReader()
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
