import { type Clock, systemClock } from '../clock.ts'
import { type BodyRules, readNodeStream, rejectEncoded, rejectLength } from './read-body.ts'

/** The part of Node's request that is used. Express, body parsers and cloud functions add what they made of the body. */
export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  /** HTTP method. */
  method?: string | undefined
  /** Path and query. */
  url?: string | undefined
  /** Express: the address before a router cut off the path where it is mounted. */
  originalUrl?: string | undefined
  /** Headers by their names in lower case. */
  headers?: Record<string, string | string[] | undefined> | undefined
  /** What a body parser made of the body; undefined when none ran. */
  body?: unknown
  /** The body before it was parsed. */
  rawBody?: unknown
  /** True when the message has come to its end. */
  complete?: boolean | undefined
  /** True when the body has been read to its end. */
  readableEnded?: boolean | undefined
}

/** The part of Node's response that is used. */
export interface NodeResponse {
  /** HTTP status to send. */
  statusCode: number
  /** True when the head of the response was sent: another handler has responded. */
  headersSent?: boolean | undefined
  /** True when the connection has ended. */
  destroyed?: boolean | undefined
  /** Sets one header. */
  setHeader(name: string, value: string): unknown
  /** Sends the body, and ends the response. */
  end(body: string): unknown
}

/** The part of Fastify's request that is used. Its parsers have always run first. */
export interface FastifyLikeRequest {
  /** HTTP method. */
  method: string
  /** Path and query, before any rewriting. */
  originalUrl: string
  /** What the parser made of the body. */
  body?: unknown
  /** Node's own request. */
  raw: NodeRequest
}

/** The part of Fastify's reply that is used. */
export interface FastifyLikeReply {
  /** Sets the HTTP status. */
  code(status: number): unknown
  /** Sets headers. */
  headers(values: Record<string, string>): unknown
  /** Sends the body, and ends the response. */
  send(body: string): unknown
  /** Node's own response. */
  raw: NodeResponse
}

/** A request listener of `node:http`, a handler of Express, and a handler of Fastify. Never rejects. */
export type NodeListener = (
  request: NodeRequest | FastifyLikeRequest,
  response: NodeResponse | FastifyLikeReply,
) => Promise<void>

/** A body as it is found: what a parser made of it, text or bytes. */
export type FoundBody = string | Uint8Array | object

/** A request of Node, Express or Fastify. */
export interface ServedRequest {
  /** In capitals. */
  method: string
  /** A path with its query, as it was sent. */
  url: string | undefined
  headers: NonNullable<NodeRequest['headers']>
  /** What the framework handed over. */
  raw: unknown
  /** True when the client has gone away before it got the response. */
  hasLeft(): boolean
  /** Reads the body within the limits. Call it once at most. @throws What the rules make of a problem */
  readBody(): Promise<FoundBody>
}

/** Options of {@link createNodeListener}. */
export interface NodeListenerOptions {
  body: BodyRules
  clock?: Clock | undefined
}

/** Carries Node's request to `serve`, and the response back. `serve` must not reject. */
export function createNodeListener(
  serve: (request: ServedRequest) => Promise<Response>,
  { body: rules, clock = systemClock }: NodeListenerOptions,
): NodeListener {
  return async (request, response) => {
    const { method = 'GET', body } = request
    const raw = Symbol.asyncIterator in request ? request : request.raw
    const url = request.originalUrl ?? raw.url
    const served = await serve({
      method,
      url,
      headers: raw.headers ?? {},
      raw: request,
      hasLeft: () => ('code' in response ? response.raw : response).destroyed === true,
      readBody: () => readBody(body, raw, { rules, clock }),
    })
    const text = await served.text()
    const headers = Object.fromEntries(served.headers)
    // Otherwise the rest of a rejected body would be read for as long as the sender likes.
    if (raw.complete === false) headers.connection = 'close'
    await send(response, { status: served.status, headers, text })
  }
}

interface SerializedResponse {
  status: number
  headers: Record<string, string>
  text: string
}

async function send(
  response: NodeResponse | FastifyLikeReply,
  { status, headers, text }: SerializedResponse,
): Promise<void> {
  if ('code' in response) {
    if (response.raw.headersSent) return
    response.code(status)
    response.headers(headers)
    // A reply is a promise of its end. Fastify sends a second response when a handler is done before its first is out.
    await response.send(text)
    return
  }
  // Another handler has responded, for instance a time limit of the application.
  if (response.headersSent) return
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(text)
}

/** The value of a body parser, or the bytes of the stream. */
async function readBody(
  parsed: unknown,
  request: NodeRequest,
  { rules, clock }: { rules: BodyRules; clock: Clock },
): Promise<FoundBody> {
  const header = (name: string) => textOf(request.headers?.[name])
  rejectLength(rules, header('content-length'))
  const isRead = request.readableEnded === true
  for (const found of [request.rawBody, parsed]) {
    if (isParsed(found, isRead)) return found
  }
  if (isRead) {
    throw rules.unusable(
      'it was read before it came here. If a body parser ran first, let it keep what it made in `request.body`, as ' +
        '`express.json()` does; or leave the body alone on this route',
      'unusable',
    )
  }
  rejectEncoded(rules, header('content-encoding'))
  return await readNodeStream(request, clock, rules)
}

/** Express 4 sets an empty object when its parser left a body alone, for instance because of the content type. */
function isParsed(body: unknown, isRead: boolean): body is string | object {
  if (typeof body === 'string') return body !== ''
  return typeof body === 'object' && body !== null && (isRead || Object.keys(body).length > 0)
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header
}
