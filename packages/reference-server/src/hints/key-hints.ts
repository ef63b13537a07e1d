import { KEY_PREFIXES } from '@modelrun/contract'
import { closestName } from '../domain/closest-name.ts'
import { showKey } from '../domain/show-key.ts'
import type { Service } from '../service/service.ts'
import type { HintScene } from './hint-scene.ts'

/** Where clients of other services put their key. */
const OTHER_HEADERS = ['x-api-key', 'api-key', 'apikey', 'x-auth-token']

const BEARER = 'Send it as "Authorization: Bearer <API_KEY>".'

/** What may be wrong with the key of a request that got a 401. Shows no more than the beginning of keys made here. */
export function keyHints({ service, request, status }: HintScene): string[] {
  if (status !== 401) return []
  const header = request.headers.get('authorization')?.trim() ?? ''
  if (header === '') return missingHints(request)
  const [scheme = '', ...rest] = header.split(/\s+/)
  if (rest.length === 0 && scheme.startsWith('sk_')) return [`"Bearer" is missing before the key. ${BEARER}`]
  return rest.length === 1 && /^bearer$/i.test(scheme) ? wrongKeyHints(service, rest[0] ?? '') : []
}

/** Whether a request carries a key of production that this server did not make. */
export function foreignLiveKey({ service, request, trace }: Pick<HintScene, 'service' | 'request' | 'trace'>): boolean {
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

function wrongKeyHints(service: Service, sent: string): string[] {
  const known = service.keys.find(sent)
  if (known !== undefined) return revokedHints(service, sent)
  if (/^(undefined|null|none|\[object Object\])$/i.test(sent)) {
    return [`The key is the word "${sent}": a variable was probably not set.`]
  }
  if (/^[$<{]/.test(sent)) return ['The key is a placeholder: a variable was probably not filled in.']
  const close = closeKey(service, sent)
  if (close !== undefined) return [`It is almost ${showKey(close)}, a key of this server: was it copied whole?`]
  const hasPrefix = Object.values(KEY_PREFIXES).some((prefix) => sent.startsWith(prefix))
  return hasPrefix ? [] : [`Keys begin with ${Object.values(KEY_PREFIXES).join(' or ')}.`]
}

function closeKey(service: Service, sent: string): string | undefined {
  const plain = sent.replace(/^["'`]|["'`,;]$/g, '')
  const keys = service.keys.names()
  const isPart = (key: string) => plain.length >= 12 && (key.startsWith(plain) || plain.startsWith(key))
  return keys.find((key) => key === plain || isPart(key)) ?? closestName(plain, keys)
}

function revokedHints(service: Service, sent: string): string[] {
  const { account } = service.keys.get(sent)
  const heir = service.keys.names().find((key) => key !== sent && isHeir(service, key, account))
  return heir === undefined ? [] : [`Its account now has the key ${showKey(heir)}.`]
}

function isHeir(service: Service, key: string, account: unknown): boolean {
  const candidate = service.keys.get(key)
  return candidate.account === account && !candidate.isRevoked
}
