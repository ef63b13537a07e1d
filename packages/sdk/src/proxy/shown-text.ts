import { KEY_PREFIXES } from '@modelrun/contract'

const CODE = /^[\w.:-]{1,128}$/
const KEYS = /* @__PURE__ */ (() => new RegExp(`(${Object.values(KEY_PREFIXES).join('|')})\\S*`, 'g'))()
const MAX_LENGTH = 500

/** A code or an id of the service, when it is one; undefined otherwise. */
export function shownCode(code: string | undefined): string | undefined {
  return code !== undefined && CODE.test(code) ? code : undefined
}

/**
 * A text of the service for people, without keys and urls. Undefined for what is not such a text: a web page, a stack
 * trace, or something longer than a sentence or two.
 */
export function shownText(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '' || text.length > MAX_LENGTH) return undefined
  if (/[\n\r]|<[a-z!/]/i.test(text)) return undefined
  return text.replace(KEYS, '[redacted]').replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[url]')
}
