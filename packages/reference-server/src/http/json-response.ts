import { shownText } from '../journal/shown-text.ts'

const encoder = new TextEncoder()

/** An answer with a JSON body, which the journal and a transport can have without reading the stream. */
export class JsonResponse extends Response {
  readonly sentText: string
  /** At most its first 2,048 bytes. */
  readonly shownBody: string

  constructor(text: string, bytes: Uint8Array<ArrayBuffer>, init: ResponseInit) {
    super(bytes, init)
    this.sentText = text
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
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.byteLength), ...headers },
  }
  return new JsonResponse(text, bytes, init)
}
