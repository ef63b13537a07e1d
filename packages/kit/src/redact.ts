import { isRecord } from './values.ts'

const MARK = '[redacted]'

/** A cut text may end in the first characters of a key. From this length on they are replaced. */
const SHORTEST_PART = 6

/** A text without spaces and quotation marks. JSON may write its characters with backslashes, such as `\u0026`. */
const WORD = /(?:[^\s"\\]|\\[^\s"])+/g
/** Where the host of a url starts. JSON may write a slash with backslashes, one for each time it was quoted. */
const BEFORE_HOST = /:(?:\\*\/){2}/
const PASSWORD = /^[^/\\@?#]+@/
const QUERY = /[?#].+/s

/** Takes secrets out of what is stored or printed. */
export type Redactor = ReturnType<typeof createRedactor>

/** @param secrets API keys that may look like anything; what is left of each is its prefix */
export function createRedactor(secrets: readonly string[] = []) {
  const known = [...new Set(secrets.flatMap(spellings))]
    .toSorted((one, other) => other.length - one.length)
    // In any case: a search in capitals, for example, is made from what the service sent.
    .map((secret) => ({ secret, pattern: new RegExp(secret.replace(/[^\w]/g, '\\$&'), 'gi') }))
  const withoutKeys = (text: string) =>
    known.reduce((left, { secret, pattern }) => withoutPart(left.replace(pattern, maskOf), secret), text)
  /** Without API keys, and without name, password, query and fragment of urls: signed urls carry their credentials there. */
  const text = (given: string) => replaceApiKeys(withoutKeys(given), maskOf).replace(WORD, redactUrl)
  /** Every text in a JSON value, and nothing of a member whose name is that of a secret. */
  const value = (whole: unknown): unknown => {
    if (typeof whole === 'string') return text(whole)
    if (Array.isArray(whole)) return whole.map(value)
    if (!isRecord(whole)) return whole
    const shown = (name: string, member: unknown) => (isSecretName(name) && member !== null ? MARK : value(member))
    return Object.fromEntries(Object.entries(whole).map(([name, member]) => [text(name), shown(name, member)]))
  }
  return {
    text,
    /** The value of a header: of a secret only its scheme. */
    header: (name: string, content: string) =>
      isSecretName(name) ? `${/^(Bearer|Basic) /i.exec(content)?.[0] ?? ''}${MARK}` : text(content),
    value,
  }
}

/** A url without name, password, query and fragment. Another word stays as it is. */
export function redactUrl(word: string): string {
  const beforeHost = BEFORE_HOST.exec(word)
  if (beforeHost === null) return word
  const start = beforeHost.index + beforeHost[0].length
  const rest = word.slice(start)
  return `${word.slice(0, start)}${rest.replace(PASSWORD, `${MARK}@`).replace(QUERY, (query) => `${query[0]}${MARK}`)}`
}

/** A secret as it stands in plain text, in a url and in JSON. */
function spellings(secret: string): string[] {
  return secret === '' ? [] : [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
}

/** A text that was cut may end in a part of a secret, which three dots follow. */
function withoutPart(text: string, secret: string): string {
  if (!text.includes('...')) return text
  let left = text
  for (let length = secret.length - 1; length >= SHORTEST_PART; length--) {
    left = left.replaceAll(`${secret.slice(0, length)}...`, `${maskOf(secret)}...`)
  }
  return left
}

function maskOf(secret: string): string {
  return `${/^sk_(live|test)_/i.exec(secret)?.[0] ?? ''}${MARK}`
}

/** Whether a header or a member of this name holds a secret. `max_tokens` does not. */
export function isSecretName(name: string): boolean {
  return /authorization|cookie|token(?!s)|secret|password|api[-_]?key/i.test(name)
}

/** Without a word boundary before it: in JSON text, a key may follow the letter of an escape, such as `\n`. */
const API_KEY = /sk_(live|test)_[\w.~+/=-]+/gi

/** Replaces everything that looks like an API key of the service (section 5), known or not. */
export function replaceApiKeys(text: string, show: (key: string) => string): string {
  return /sk_/i.test(text) ? text.replace(API_KEY, show) : text
}
