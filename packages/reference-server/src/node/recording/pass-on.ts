import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** A request for the service. */
export interface PassedRequest {
  method: string
  /** Path and query as they were sent. */
  path: string
  /** Names and values in turn, without those of one connection. */
  headers: readonly string[]
  body: Buffer
}

/** How long the service may take. A synchronous run is held for about 55 s (section 8). */
export interface PassOnLimits {
  connectMs: number
  /** To the head of the response, and then between two parts of its body. */
  silenceMs: number
}

/** The service gave no response. */
export class NoResponseError extends Error {
  /** Whether the request may have been received. */
  readonly wasSent: boolean
  readonly isTimeout: boolean

  constructor(message: string, { wasSent, isTimeout }: { wasSent: boolean; isTimeout: boolean }) {
    super(message)
    this.wasSent = wasSent
    this.isTimeout = isTimeout
  }
}

/**
 * Sends a request to the service, once. Nothing is sent again, and no redirect is followed. Each request has a connection of
 * its own: one that is used again can be closed by the service at the same moment, and then it is not known whether the
 * request was received.
 *
 * @returns the response, whose body still comes
 * @throws NoResponseError when there is none
 */
export function passOn(
  { method, path, headers, body }: PassedRequest,
  service: URL,
  limits: PassOnLimits,
): Promise<IncomingMessage> {
  const isSecure = service.protocol === 'https:'
  return new Promise((resolve, reject) => {
    let wasSent = false
    let isTimeout = false
    const request = (isSecure ? httpsRequest : httpRequest)(service, {
      method,
      path: `${service.pathname.replace(/\/$/, '')}${path}`,
      headers: ['Host', service.host, ...headers],
      agent: false,
    })
    const stop = (ms: number) => {
      isTimeout = true
      request.destroy(new Error(`nothing came for ${ms / 1_000} s`))
    }
    const timer = setTimeout(stop, limits.connectMs, limits.connectMs)
    request.once('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        wasSent = true
        clearTimeout(timer)
      }),
    )
    request.setTimeout(limits.silenceMs, () => stop(limits.silenceMs))
    request.once('response', resolve)
    request.once('error', (error) => {
      clearTimeout(timer)
      reject(new NoResponseError(error.message, { wasSent, isTimeout }))
    })
    request.end(body)
  })
}

/** Headers of one connection, which are not passed on (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers that are passed on, names and values in turn. */
export function endToEnd(
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  others: readonly string[] = [],
): string[] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const isLeftOut = (name: string) => HOP_BY_HOP.has(name) || named.includes(name) || others.includes(name)
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !isLeftOut(name.toLowerCase()) ? [name, rawHeaders[index + 1] ?? ''] : [],
  )
}

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
