import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { toUrl } from '@modelrun/kit'
import type { IncomingRequest } from '../wire/messages.ts'

/** A host and a path that mean the same as they are and as a `URL` writes them; nearly all. */
const PLAIN_HOST = /^(localhost|127\.0\.0\.1)(:(?!80$)([1-9]\d{0,3}|[1-5]\d{4}))?$/
const PLAIN_PATH = /^(\/[\w~!$&'()*+,;=:@%-][\w.~!$&'()*+,;=:@%-]*)+(\?[\w.~!$&()*+,;=:@/?%-]*)?$/

/** A request over a socket. Headers, body and signal are read when they are needed. */
export class NodeRequest implements IncomingRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingRequest['headers']
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  #signal: AbortSignal | undefined

  /** @returns `undefined` when its path and its `Host` make no URL */
  static from(incoming: IncomingMessage, outgoing: ServerResponse): NodeRequest | undefined {
    const url = urlOf(incoming)
    return url === undefined ? undefined : new NodeRequest(url, incoming, outgoing)
  }

  private constructor(url: string, incoming: IncomingMessage, outgoing: ServerResponse) {
    this.method = incoming.method ?? 'GET'
    this.url = url
    this.headers = new NodeHeaders(incoming)
    this.#incoming = incoming
    this.#outgoing = outgoing
  }

  /** Aborted when the client goes away before it has its response. */
  get signal(): AbortSignal {
    if (this.#signal !== undefined) return this.#signal
    const controller = new AbortController()
    const outgoing = this.#outgoing
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) controller.abort()
    })
    if (outgoing.destroyed) controller.abort()
    this.#signal = controller.signal
    return controller.signal
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(await buffer(this.#incoming)).buffer
  }

  /** The rest of a body that is too large is received and dropped: the client gets the response. */
  async read(maxBytes: number): Promise<Uint8Array | 'too large'> {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of this.#incoming.iterator({ destroyOnReturn: false })) {
      length += chunk.byteLength
      if (length > maxBytes) break
      chunks.push(chunk)
    }
    if (length <= maxBytes) return Buffer.concat(chunks)
    this.#incoming.resume()
    return 'too large'
  }
}

class NodeHeaders {
  readonly #incoming: IncomingMessage

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming
  }

  get(name: string): string | null {
    const value = this.#incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : (value ?? null)
  }

  has(name: string): boolean {
    return this.#incoming.headers[name] !== undefined
  }

  *[Symbol.iterator](): Iterator<[name: string, value: string]> {
    for (const name of Object.keys(this.#incoming.headers)) yield [name, this.get(name) ?? '']
  }
}

function urlOf({ url = '', headers: { host = '' } }: IncomingMessage): string | undefined {
  if (PLAIN_HOST.test(host) && PLAIN_PATH.test(url)) return `http://${host}${url}`
  // A request as to a proxy names the host too.
  if (/^https?:\/\//i.test(url)) return toUrl(url)?.href
  const text = `http://${host}${url}`
  if (host === '' || !url.startsWith('/') || url.includes('\\') || !URL.canParse(text)) return undefined
  const parsed = new URL(text)
  return parsed.username === '' && new URL(`http://${host}/`).host === parsed.host ? parsed.href : undefined
}
