import type { WebhookBody } from './parse-webhook.ts'
import { MAX_WEBHOOK_BYTES } from './parse-webhook.ts'

/** The part of Node's request that is used; Express and Fastify add `body`. */
export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  method?: string | undefined
  body?: unknown
  readableEnded?: boolean | undefined
}

/** The part of Node's response that is used. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

/** A request listener of `node:http`. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => Promise<void>

/** Carries a delivery from Node's request to `receive`, and its answer back. */
export function createNodeListener(receive: (method: string, body: WebhookBody) => Promise<Response>): NodeListener {
  return async (request, response) => {
    const answer = await receive(request.method ?? 'GET', await bodyOf(request))
    response.statusCode = answer.status
    answer.headers.forEach((value, name) => {
      response.setHeader(name, value)
    })
    response.end(await answer.text())
  }
}

/** The body that a parser made, or the stream's bytes: none when the stream was read and nobody kept them. */
async function bodyOf(request: NodeRequest): Promise<WebhookBody> {
  const { body, readableEnded } = request
  if (typeof body === 'string') return body
  // Express 4 sets an empty object when its parser left a body alone, for instance because of the content type.
  if (typeof body === 'object' && body !== null && (readableEnded || Object.keys(body).length > 0)) return body
  return await readStream(request)
}

async function readStream(request: NodeRequest): Promise<WebhookBody> {
  const chunks: Uint8Array[] = []
  let byteCount = 0
  const encoder = new TextEncoder()
  try {
    for await (const chunk of request) {
      const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
      byteCount += bytes.byteLength
      // Read on, but keep nothing: leaving the loop would destroy the connection, and with it the answer.
      if (byteCount <= MAX_WEBHOOK_BYTES) chunks.push(bytes)
      else chunks.length = 0
    }
  } catch {
    return ''
  }
  // One byte too much makes the parser say that it is too large.
  return byteCount > MAX_WEBHOOK_BYTES ? new Uint8Array(MAX_WEBHOOK_BYTES + 1) : concatenate(chunks, byteCount)
}

function concatenate(chunks: readonly Uint8Array[], byteCount: number): Uint8Array {
  const bytes = new Uint8Array(byteCount)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
