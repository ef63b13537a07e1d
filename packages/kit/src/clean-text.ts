import { nodeBuiltin } from './node-builtin.ts'
import { replaceApiKeys } from './redact.ts'

/** Control characters, and characters that change the direction of text: a service could move the cursor with them. */
const UNSAFE = '[\\p{Cc}\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]'
const UNSAFE_RUN = /* @__PURE__ */ new RegExp(`${UNSAFE}+`, 'gu')
const UNSAFE_CHARACTER = /* @__PURE__ */ new RegExp(UNSAFE, 'gu')

/** Text of anybody on one line, without characters that control a terminal. */
export function cleanText(text: string): string {
  return text.replace(UNSAFE_RUN, ' ')
}

/** JSON with the same meaning, in which every such character is escaped. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE_CHARACTER, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Prints an error, which may hold text of anybody: each of its lines is cleaned, and indented, so that none looks like another message. */
export function printFailure(level: 'error' | 'warn', message: string, error: unknown): void {
  const text = nodeBuiltin('node:util')?.inspect(error) ?? String(error)
  const lines = replaceApiKeys(`${message}: ${text}`, () => '[redacted]').split('\n')
  console[level](`modelrun: ${lines.map(cleanText).join('\n  ')}`)
}
