import { isSecretName, replaceApiKeys } from '@modelrun/kit'
import { isRecord, type JsonValue } from './json.ts'

/** Longest text of a body that the report keeps, in characters. */
const MAX_TEXT = 8_000
/** A cut text may end in the first characters of a key. From this length on they are replaced. */
const SHORTEST_PART = 6

/** A text without spaces and quotation marks. JSON may write its characters with backslashes, such as `\u0026`. */
const WORD = /(?:[^\s"\\]|\\[^\s"])+/g
/** Where the host of a url starts. JSON may write a slash with backslashes, one for each time it was quoted. */
const BEFORE_HOST = /:(?:\\*\/){2}/
const PASSWORD = /^[^/\\@?#]+@/
const QUERY = /[?#].+/s

/** Makes what goes into the report free of secrets. */
export type Redactor = ReturnType<typeof createRedactor>

/** @param secrets API keys; what is left of each is its prefix */
export function createRedactor(secrets: readonly string[]) {
  const known = [...new Set(secrets.flatMap(spellings))]
    .toSorted((one, other) => other.length - one.length)
    // In any case: a search in capitals, for example, is made from what the service sent.
    .map((secret) => ({ secret, pattern: new RegExp(secret.replace(/[^\w]/g, '\\$&'), 'gi') }))
  const withoutKeys = (value: string) =>
    known.reduce((left, { secret, pattern }) => withoutPart(left.replace(pattern, maskOf), secret), value)
  const text = (value: string) => replaceApiKeys(withoutKeys(value), maskOf).replace(WORD, withoutCredentials)
  const header = (name: string, content: string) => (isSecretName(name) ? maskHeader(content) : text(content))
  const value = (whole: JsonValue): JsonValue => {
    if (typeof whole === 'string') return text(whole)
    if (Array.isArray(whole)) return whole.map(value)
    if (!isRecord(whole)) return whole
    const shown = ([name, member]: [string, JsonValue]) =>
      isSecretName(name) && member !== null ? '[redacted]' : value(member)
    return Object.fromEntries(Object.entries(whole).map((entry) => [text(entry[0]), shown(entry)]))
  }
  return {
    /** Without keys and without what urls carry in their query. */
    text,
    /** The same, and cut to a length that a report can hold. */
    body: (whole: string) => cut(text(whole)),
    /** Every text in a value. */
    value,
    /** The url of a request: each value of its query. */
    url: (whole: string) => {
      const [path = '', query] = whole.split('?')
      return query === undefined ? withoutKeys(path) : `${withoutKeys(path)}?${queryOf(query, text)}`
    },
    headers: (all: Headers) => Object.fromEntries([...all].map(([name, content]) => [name, header(name, content)])),
  }
}

/** Without name and password, and without what stands behind `?` or `#`: signed urls of files carry their credentials there. */
function withoutCredentials(word: string): string {
  const beforeHost = BEFORE_HOST.exec(word)
  if (beforeHost === null) return word
  const start = beforeHost.index + beforeHost[0].length
  const rest = word.slice(start)
  return `${word.slice(0, start)}${rest.replace(PASSWORD, '[redacted]@').replace(QUERY, (query) => `${query[0]}[redacted]`)}`
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

/** A query whose values are free of secrets; one in which nothing is hidden stays as it was sent. */
function queryOf(query: string, text: (value: string) => string): string {
  const parameters = [...new URLSearchParams(query)]
  if (parameters.every(([, value]) => text(value) === value)) return query
  return parameters.map(([name, value]) => `${name}=${encodeURIComponent(text(value))}`).join('&')
}

function maskOf(secret: string): string {
  return `${/^sk_(live|test)_/i.exec(secret)?.[0] ?? ''}[redacted]`
}

/** Keeps the scheme, which some checks are about. */
function maskHeader(value: string): string {
  const scheme = /^(Bearer|Basic) /i.exec(value)?.[0] ?? ''
  return `${scheme}[redacted]`
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}[${text.length - MAX_TEXT} characters more]`
}
