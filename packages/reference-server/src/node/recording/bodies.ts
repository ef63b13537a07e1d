import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** A larger body of a request is rejected, and a larger response is passed on and not recorded. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024

/** The body of a request. */
export async function readAll(incoming: IncomingMessage): Promise<Buffer | 'broken' | 'too large'> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of incoming) {
      bytes += chunk.length
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
      else chunks.length = 0
    }
  } catch {
    return 'broken'
  }
  return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : 'too large'
}

/** Passes the body of a response on as it comes, and reads it to its end although the client may be gone. */
export async function forward(
  response: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Buffer | 'broken' | 'too large'> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += chunk.length
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
      else chunks.length = 0
      if (outgoing.writable && !outgoing.write(chunk)) await roomIn(outgoing)
    }
  } catch {
    outgoing.destroy()
    return 'broken'
  }
  outgoing.end()
  return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : 'too large'
}

function roomIn(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done)
      resolve()
    }
    outgoing.once('drain', done).once('close', done)
  })
}

/** The text of a body. An encoding that is not known gives none: the response is passed on and not understood. */
export function textOf(body: Buffer, encoding: string | undefined): string {
  const limit = { maxOutputLength: MAX_BODY_BYTES }
  try {
    if (encoding === undefined || encoding === 'identity') return body.toString()
    if (encoding === 'gzip') return gunzipSync(body, limit).toString()
    if (encoding === 'br') return brotliDecompressSync(body, limit).toString()
    return encoding === 'deflate' ? inflateSync(body, limit).toString() : ''
  } catch {
    return ''
  }
}
