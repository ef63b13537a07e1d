import { isSecretName } from '@modelrun/kit'
import { redactText, redactUrl } from '../history/journal/redact.ts'

const URL_IN_TEXT = /https?:\/\/[^\s"'<>\\]+/gi
/** Of a url with a password, a query or a fragment, each of which may hold a token. */
const WITH_MORE = /[@?#]/
const BEARER = /\b(Bearer|Basic)\s+\S+/gi
/** Shorter words of a header would be found in other texts. */
const SHORTEST_SECRET = 6
const MAX_SECRETS = 1_000

/** Keeps keys out of what is stored and printed. */
export class Redactor {
  readonly #secrets = new Set<string>()

  /** Remembers the keys of a request, whatever they look like. */
  see(headers: Iterable<readonly [name: string, value: string]>): void {
    for (const [name, value] of headers) {
      const words = isSecretName(name) ? value.split(/[\s,;]+/).filter(({ length }) => length >= SHORTEST_SECRET) : []
      for (const word of words) if (this.#secrets.size < MAX_SECRETS) this.#secrets.add(word)
    }
  }

  text(text: string): string {
    let left = text
    for (const secret of this.#secrets) {
      left = left.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…')
    }
    left = left.replace(URL_IN_TEXT, (url) => (WITH_MORE.test(url) ? redactUrl(url) : url))
    return redactText(left.replace(BEARER, '$1 …'))
  }

  /** Every text in a value, names of members included. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (Array.isArray(value)) return value.map((item) => this.value(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const isSecret = typeof member === 'string' && isSecretName(name)
        return [this.text(name), isSecret ? '…' : this.value(member)]
      }),
    )
  }
}
