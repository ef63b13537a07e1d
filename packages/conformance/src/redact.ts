/** Longest text of a body that the report keeps, in characters. */
const MAX_TEXT = 8_000

/** Headers that are secrets whatever they hold. */
const SECRET_HEADERS = /^(authorization|cookie|set-cookie|proxy-authorization|x-api-key)$/i

/** The query of an address in a body: signed file addresses carry their credentials there. */
const URL_QUERY = /(https?:\/\/[^\s"'\\?]+)\?[^\s"'\\]+/g

/** Makes what goes into the report free of secrets. */
export interface Redactor {
  text(text: string): string
  /** The same, and cut to a length that a report can hold. */
  body(text: string): string
  headers(headers: Headers): Record<string, string>
}

/** @param secrets API keys; what is left of each is its prefix */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = secrets.filter((secret) => secret.length > 0).toSorted((one, other) => other.length - one.length)
  const text = (value: string) => known.reduce((left, secret) => left.replaceAll(secret, maskOf(secret)), value)
  return {
    text,
    body: (value) => cut(text(value).replace(URL_QUERY, '$1?[redacted]')),
    headers: (headers) => {
      const shown = [...headers].map(([name, value]) => [
        name,
        SECRET_HEADERS.test(name) ? maskHeader(value) : text(value),
      ])
      return Object.fromEntries(shown)
    },
  }
}

function maskOf(secret: string): string {
  return `${/^sk_(live|test)_/.exec(secret)?.[0] ?? ''}[redacted]`
}

/** Keeps the scheme, which some checks are about. */
function maskHeader(value: string): string {
  const scheme = /^(Bearer|Basic) /i.exec(value)?.[0] ?? ''
  return `${scheme}[redacted]`
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}[${text.length - MAX_TEXT} characters more]`
}
