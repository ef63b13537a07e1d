import type { Header } from './journal-entry.ts'
import { redactText } from './redact.ts'

/** Headers whose values are secrets. */
const SECRET = /authorization|cookie|token|secret|api-key/

/** Longer values are cut. */
const MAX_LENGTH = 200

/** Headers for the journal: of a secret only that it was there. */
export function shownHeaders(headers: Headers): Header[] {
  return Array.from(headers, ([name, value]) => [
    name,
    SECRET.test(name) ? '…' : redactText(value).slice(0, MAX_LENGTH),
  ])
}
