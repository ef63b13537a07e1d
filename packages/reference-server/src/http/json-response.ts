import { shownText } from '../history/journal/redact.ts'

const encoder = new TextEncoder()

/** A response whose body is at hand, so that a transport can send it in one piece, without reading the stream. */
export class WholeResponse extends Response {
  readonly sent: string | Uint8Array

  constructor(body: BodyInit, init: ResponseInit, sent: string | Uint8Array) {
    super(body, init)
    this.sent = sent
  }
}

/** A response with a JSON body. The journal reads its text and its error code without reading the stream. */
export class JsonResponse extends WholeResponse {
  /** At most its first 2,048 bytes. */
  readonly shownBody: string
  /** Error code in the body (section 7). */
  readonly code: string | undefined

  constructor(text: string, init: ResponseInit, code: string | undefined) {
    const bytes = encoder.encode(text)
    const headers = { 'content-type': 'application/json', 'content-length': String(bytes.byteLength), ...init.headers }
    super(bytes, { ...init, headers }, text)
    this.shownBody = shownText(bytes, text)
    this.code = code
  }
}

export interface JsonResponseOptions {
  headers?: Readonly<Record<string, string>> | undefined
  /** Error code in the body. */
  code?: string | undefined
}

/**
 * A response with a JSON body and its `content-length`. Without that header MSW takes twice as long, and its memory
 * grows.
 */
export function jsonResponse(status: number, body: unknown, { headers, code }: JsonResponseOptions = {}): Response {
  return new JsonResponse(JSON.stringify(body), { ...statusLine(status), headers: { ...headers } }, code)
}

/** Texts of the statuses that the server sends, as Node's http writes them on a socket. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Accepted',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

/** A status with its text. A response in this process has no text unless one is given. */
export function statusLine(status: number): { status: number; statusText: string } {
  return { status, statusText: STATUS_TEXTS[status] ?? '' }
}
