import { ConfigurationError } from '../errors/local-errors.ts'

/**
 * Headers as an object, as `Headers` of any library, or as a list of pairs. Members of an object that are undefined are
 * left out. Names are the same in any case.
 */
export type HeadersOption = Headers | Iterable<readonly [string, string]> | Readonly<Record<string, string | undefined>>

/** @throws ConfigurationError It names the header, but not its value, which the platform's own error would print. */
export function readHeaders(option: HeadersOption | undefined): Headers {
  const headers = new Headers()
  for (const [name, value] of listHeaders(option)) {
    if (value !== undefined) append(headers, name, value)
  }
  return headers
}

function append(headers: Headers, name: string, value: unknown): void {
  if (typeof value !== 'string') {
    throw new ConfigurationError({ message: `The header ${JSON.stringify(name)} must be text.` })
  }
  try {
    headers.append(name, value)
  } catch {
    throw new ConfigurationError({
      message: `The header ${JSON.stringify(name)} has a name or a value that HTTP does not allow.`,
    })
  }
}

/** The headers of a call over those of the client. */
export function mergeHeaders(client: Headers, call: HeadersOption | undefined): Headers {
  const headers = new Headers(client)
  for (const [name, value] of readHeaders(call)) headers.set(name, value)
  return headers
}

/** Names and values, unchecked. @throws ConfigurationError when it is neither an object nor a list of pairs */
export function listHeaders(option: HeadersOption = {}): (readonly [string, unknown])[] {
  const value: unknown = option
  if (typeof value === 'object' && value !== null) {
    const list: unknown[] = isIterable(value) ? [...value] : Object.entries(value)
    if (isPairs(list)) return list
  }
  throw new ConfigurationError({
    message: "The option `headers` must be an object, like { 'x-tenant': 'a' }, or `Headers`, or a list of pairs.",
  })
}

function isPairs(list: unknown[]): list is (readonly [string, unknown])[] {
  return list.every((pair) => Array.isArray(pair) && pair.length === 2)
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value
}
