import { nodeBuiltin } from '@modelrun/kit'
import type { Job } from '../domain/job.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A request as a transport passes it on: a `Request`, or an object that reads a socket when it is asked. */
export interface IncomingRequest extends Pick<Request, 'method' | 'url' | 'signal'> {
  readonly headers: Pick<Headers, 'get' | 'has'> & Iterable<[name: string, value: string]>
  readonly body?: Request['body']
  arrayBuffer(): Promise<ArrayBuffer>
  /**
   * Of a transport that reads bodies itself: the body, unless it is too large.
   *
   * @throws what it likes, when the body breaks off
   */
  read?(maxBytes: number): Promise<Uint8Array | 'too large'>
}

/** A response as data. Each transport sends it in its own way. */
export interface Reply {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Record<string, string>
  /** Missing: none. A function opens a stream, which ends in an error where the connection breaks. */
  readonly body?: string | Bytes | (() => ReadableStream<Bytes>) | undefined
  /** Error code in the body (section 7). */
  readonly code?: string | undefined
  /** A fault that corrupts the body. */
  readonly fault?: 'slow-body' | 'truncated-body' | undefined
}

/** A broken connection, also data: each transport applies it as its clients would see it. */
export interface ConnectionFault {
  readonly fault: 'reset' | 'empty-reply' | 'refused'
  readonly status?: undefined
}

/** The result of a request. */
export type ReplyOrFault = Reply | ConnectionFault

/** What a transport knows about a request. */
export interface RequestContext {
  /** `fetch`: a client in this process. An `auto` clock waits longer for clients of the others. */
  transport: 'fetch' | 'msw' | 'node'
  /** IP address of the client. Default `127.0.0.1`, this machine; over a socket: unknown, and not trusted. */
  ip?: string | undefined
  /** @internal Called with the job of a run as soon as it exists, also when the response is lost. */
  onJob?: ((job: Job) => void) | undefined
}

/** Handles a request. Never throws and never rejects. */
export type Handle = (request: IncomingRequest, context: RequestContext) => Promise<ReplyOrFault>

/** A response with a JSON body. @param more headers, and the error code in the body */
export function jsonReply(
  status: number,
  body: unknown,
  { headers, code }: Partial<Pick<Reply, 'headers' | 'code'>> = {},
): Reply {
  const reply = textReply(status, 'application/json', JSON.stringify(body))
  if (headers !== undefined) Object.assign(reply.headers, headers)
  return code === undefined ? reply : { ...reply, code }
}

const encoder = new TextEncoder()

/** Without its `content-length` MSW takes twice as long, and its memory grows. */
export function textReply(status: number, contentType: string, text: string): Reply {
  const length = String(encoder.encode(text).byteLength)
  return { status, headers: { 'content-type': contentType, 'content-length': length }, body: text }
}

export function emptyReply(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  const hasLength = status !== 204 && status !== 304
  return { status, headers: hasLength ? { 'content-length': '0', ...headers } : { ...headers } }
}

/** As Node's http writes them on a socket: a `Response` has none of its own. */
const STATUS_TEXTS = nodeBuiltin('node:http')?.STATUS_CODES

/** For transports that end at a `fetch`. */
export function toResponse({ status, headers, body }: Reply): Response {
  const content = typeof body === 'function' ? body() : (body ?? null)
  return new Response(content, { status, statusText: STATUS_TEXTS?.[status] ?? '', headers })
}
