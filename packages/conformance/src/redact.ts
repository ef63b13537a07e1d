import { createRedactor as createTextRedactor } from '@modelrun/kit'
import type { JsonValue } from './json.ts'

/** Longest text of a body that the report keeps, in characters. */
const MAX_TEXT = 8_000

/** Makes what goes into the report free of secrets. */
export type Redactor = ReturnType<typeof createRedactor>

/** @param secrets API keys; what is left of each is its prefix */
export function createRedactor(secrets: readonly string[]) {
  const { text, header, value } = createTextRedactor(secrets)
  return {
    /** Without keys and without what urls carry in their query. */
    text,
    /** The same, and cut to a length that a report can hold. */
    body: (whole: string) => cut(text(whole)),
    value: (whole: JsonValue) => value(whole) as JsonValue, // the same but for its texts
    /** The url of a request: each value of its query. */
    url: (whole: string) => {
      const [path = '', query] = whole.split('?')
      const shown = [...new URLSearchParams(query)].map(([name, value]) => `${name}=${encodeURIComponent(text(value))}`)
      return query === undefined ? text(path) : `${text(path)}?${shown.join('&')}`
    },
    headers: (all: Headers) => Object.fromEntries([...all].map(([name, content]) => [name, header(name, content)])),
  }
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}[${text.length - MAX_TEXT} characters more]`
}
