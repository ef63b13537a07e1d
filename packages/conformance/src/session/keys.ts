import { type Permission, ROUTES, type RouteName } from '@modelrun/contract'
import { type ResolvedOptions, SPECIAL_KEYS, type SpecialKey } from '../options.ts'

/** The key of a request, by what the specification says about it (section 5). */
export interface SentKey {
  kind: 'full' | 'limited' | 'missing' | 'invalid' | 'revoked'
  lacks: readonly Permission[]
  name?: LimitedKey
}

/** Name of a key that lacks a permission, or credits. */
export type LimitedKey = Exclude<SpecialKey, 'revoked'>
export const LIMITED_KEYS = Object.keys(SPECIAL_KEYS).filter((name) => name !== 'revoked') as LimitedKey[]

/** Classifies the header `Authorization`. What is not a bearer token is a missing key. */
export function sentKey(authorization: string | undefined, { apiKey, keys }: ResolvedOptions): SentKey {
  const key = /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
  if (key === undefined) return { kind: 'missing', lacks: [] }
  if (key === apiKey) return { kind: 'full', lacks: [] }
  if (key === keys.revoked) return { kind: 'revoked', lacks: [] }
  const name = LIMITED_KEYS.find((one) => keys[one] === key)
  return name === undefined ? { kind: 'invalid', lacks: [] } : { kind: 'limited', lacks: SPECIAL_KEYS[name], name }
}

export function lacks(name: LimitedKey, permission: Permission): boolean {
  return SPECIAL_KEYS[name].some((one) => one === permission)
}

/** The keys that were given and lack a permission, but not this one. */
export function namesOf({ keys }: ResolvedOptions, needed: Permission): LimitedKey[] {
  return LIMITED_KEYS.filter((name) => keys[name] !== undefined && !lacks(name, needed))
}

/** Whether a key has what an endpoint needs, by the plain reading of section 5.4. */
export function mayDo({ kind, lacks: missing }: SentKey, route: RouteName): boolean {
  return (kind === 'full' || kind === 'limited') && !missing.includes(ROUTES[route].permission)
}

/** Keys that differ from the right one as little as can be: in length, in the last character, in letter case. */
export function almostKeys(apiKey: string): string[] {
  const start = apiKey.slice(0, -1)
  // The prefix stays as it is: it is not secret.
  const inOtherCase = apiKey.replace(/(?<=^sk_(live|test)_).*/, (text) =>
    text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase(),
  )
  const keys = [`${apiKey}x`, start, `${start}${apiKey.endsWith('x') ? 'y' : 'x'}`, inOtherCase]
  return keys.filter((key) => key !== apiKey && key !== '')
}
