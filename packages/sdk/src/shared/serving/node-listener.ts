import { ConfigurationError } from '@modelrun/kit'
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
interface NodeResponse {
  /** HTTP status to send. */
  statusCode: number
  /** True when the head of the response was sent: another handler has responded. */
  headersSent?: boolean | undefined
  /** True when the connection has ended. HTTP/2 has it in the stream. */
  destroyed?: boolean | undefined
  stream?: { destroyed?: boolean | undefined } | undefined
  /** Sets one header. */
  setHeader(name: string, value: string): unknown
  /** Sends the body, and ends the response. */
  end(body: string): unknown
}

/** A request listener of `node:http`, and a handler of Express. Never rejects. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => Promise<void>

/** A body as it is found: what a parser made of it, text or bytes. */
export type FoundBody = string | Uint8Array | object

/** A request of Node or Express. */
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

/** Carries Node's request to `serve`, and the response back. `serve` must not reject. */
export function createNodeListener(
  serve: (request: ServedRequest) => Promise<Response>,
  { body: rules, clock = systemClock }: { body: BodyRules; clock?: Clock | undefined },
): NodeListener {
  return async (request, response) => {
    const { method = 'GET', headers: received = {} } = request
    const served = await serve({
      method,
      url: request.originalUrl ?? request.url,
      headers: received,
      raw: request,
      hasLeft: () => (response.stream ?? response).destroyed === true,
      readBody: () => readBody(request, { rules, clock }),
    })
    const text = await served.text()
    const headers = Object.fromEntries(served.headers)
    // Otherwise the rest of a rejected body would be read for as long as the sender likes.
    if (request.complete === false) headers.connection = 'close'
    // Another handler has responded, for instance a time limit of the application.
    if (response.headersSent) return
    response.statusCode = served.status
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.end(text)
  }
}

/** The value of a body parser, or the bytes of the stream. */
async function readBody(
  request: NodeRequest,
  { rules, clock }: { rules: BodyRules; clock: Clock },
): Promise<FoundBody> {
  const header = (name: string) => textOf(request.headers?.[name])
  rejectLength(rules, header('content-length'))
  const isRead = request.readableEnded === true
  for (const found of [request.rawBody, request.body]) {
    if (isParsed(found, isRead)) return found
  }
  if (isRead) {
    throw rules.unusable('it was read before. Let a body parser keep what it made in `request.body`', 'unusable')
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

/**
 * `createServer(inbox.node)` would create a listener for each request, and respond to none.
 *
 * @throws ConfigurationError
 */
export function rejectArguments(place: string, given: readonly unknown[]): void {
  if (given.length === 0) return
  throw new ConfigurationError({
    message: `\`${place}\` creates a handler, and was called as one. Pass \`${place}()\` where you passed \`${place}\`.`,
  })
}
