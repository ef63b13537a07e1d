import { shownText } from '../history/journal/shown-text.ts'
import { statusLine } from './status-text.ts'

const encoder = new TextEncoder()

/** An answer whose body is at hand, so that a transport can send it in one piece, without reading the stream. */
export class WholeResponse extends Response {
  readonly sent: string | Uint8Array

  constructor(body: BodyInit, init: ResponseInit, sent: string | Uint8Array) {
    super(body, init)
    this.sent = sent
  }
}

/** An answer with a JSON body, which the journal can have without reading the stream. */
export class JsonResponse extends WholeResponse {
  /** At most its first 2,048 bytes. */
  readonly shownBody: string

  constructor(text: string, bytes: Uint8Array<ArrayBuffer>, init: ResponseInit) {
    super(bytes, init, text)
    this.shownBody = shownText(bytes, text)
  }
}

/**
 * An answer with a JSON body and its `content-length`: MSW needs twice the time, and ever more memory, for answers
 * without.
 */
export function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const text = JSON.stringify(body)
  const bytes = encoder.encode(text)
  const init = {
    ...statusLine(status),
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength), ...headers },
  }
  return new JsonResponse(text, bytes, init)
}
