import { KEY_PREFIXES } from '@modelrun/contract'
import { KEY_LETTERS } from '../domain/api-keys.ts'
import type { HintContext } from './hint-scene.ts'

/** Where clients of other services put their key. */
const OTHER_HEADERS = ['x-api-key', 'api-key', 'apikey', 'x-auth-token']

const PREFIXES = Object.values(KEY_PREFIXES)

const BEARER = 'Send it as "Authorization: Bearer <API_KEY>".'

/** What may be wrong with the form of the key of a request that got a 401. */
export function keyHints({ request, status }: Pick<HintContext, 'request' | 'status'>): string[] {
  if (status !== 401) return []
  const header = request.headers.get('authorization')?.trim() ?? ''
  if (header === '') return missingHints(request)
  const [scheme = '', ...rest] = header.split(/\s+/)
  if (rest.length === 0 && scheme.startsWith('sk_')) return [`"Bearer" is missing before the key. ${BEARER}`]
  if (rest.length === 0 || !/^bearer$/i.test(scheme)) return []
  return rest.length === 1 ? formHints(rest[0] ?? '') : ['A key has no white space in it.']
}

/** Whether a request carries a key of production that this server did not make. */
export function foreignLiveKey({
  service,
  request,
  trace,
}: Pick<HintContext, 'service' | 'request' | 'trace'>): boolean {
  if (trace.apiKey !== undefined) return false
  const key = /\bsk_live_\S+/.exec(request.headers.get('authorization') ?? '')?.[0]
  return key !== undefined && service.keys.find(key) === undefined
}

function missingHints(request: Request): string[] {
  const header = OTHER_HEADERS.find((name) => request.headers.has(name))
  if (header !== undefined) return [`The service does not read ${header}. ${BEARER}`]
  const query = [...new URL(request.url).searchParams].find(([, value]) => /^sk_(test|live)_/.test(value))
  return query === undefined ? [] : [`The service reads no key from the query (${query[0]}). ${BEARER}`]
}

/**
 * Looks at the form of what was sent, and never at the keys that exist: a hint that compares would let a client find a
 * key one character after the other.
 */
function formHints(sent: string): string[] {
  if (/^(undefined|null|none|\[object Object\])$/i.test(sent)) {
    return [`The key is the word "${sent}": a variable was probably not set.`]
  }
  if (/^[$<{]/.test(sent)) return ['The key is a placeholder: a variable was probably not filled in.']
  if (/^["'`]|["'`,;]$/.test(sent)) return ['The key stands in quotes, or has a comma or semicolon behind it.']
  const prefix = PREFIXES.find((one) => sent.startsWith(one))
  if (prefix === undefined) return [`Keys begin with ${PREFIXES.join(' or ')}.`]
  if (!/^[\w-]+$/.test(sent)) return ['A key has only letters, digits, _ and -.']
  if (sent.length === prefix.length + KEY_LETTERS) return []
  return [`A key that the server creates has ${KEY_LETTERS} characters after ${prefix}: was it copied whole?`]
}
