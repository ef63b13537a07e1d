import { createRedactor } from '@modelrun/kit'
import type { Header } from './journal-entry.ts'

/** Longer values are cut. */
const MAX_LENGTH = 200

const redactor = /* @__PURE__ */ createRedactor()

/** Text without API keys, and without name, password, query and fragment of urls: any of them may hold a token. */
export function redactText(text: string): string {
  return redactor.text(text)
}

/** Headers for the journal: of a secret only that it was there. */
export function shownHeaders(headers: Iterable<Header>): Header[] {
  return Array.from(headers, ([name, value]) => [name, redactor.header(name, value).slice(0, MAX_LENGTH)])
}
