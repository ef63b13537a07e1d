import { type Permission, ROUTES, type RouteName } from '@modelrun/contract'
import type { ResolvedOptions, SpecialKey } from '../options.ts'

/** The key of a request, by what the specification says about it (section 5). */
export interface SentKey {
  /** `open`: a valid key that may be rejected for something else: it has no credits. */
  kind: 'full' | 'limited' | 'missing' | 'invalid' | 'revoked' | 'open'
  /** The permissions that a limited key lacks. */
  lacks: readonly Permission[]
  /** Of a limited key. */
  name?: LimitedKey
}

/** What the special keys lack. A key that is not here lacks no permission. */
const LACKS = {
  'read-only': ['models:run', 'jobs:write', 'webhooks:manage'],
  'without-models-read': ['models:read'],
  'without-models-run': ['models:run'],
  'without-jobs-read': ['jobs:read'],
  'without-jobs-write': ['jobs:write'],
  'without-webhooks-manage': ['webhooks:manage'],
} as const satisfies Partial<Record<SpecialKey, readonly Permission[]>>

/** Name of a key that lacks a permission. */
export type LimitedKey = keyof typeof LACKS
export const LIMITED_KEYS = Object.keys(LACKS) as LimitedKey[] // the keys of the constant

/** Classifies the header `Authorization`. What is not a bearer token is a missing key. */
export function sentKey(authorization: string | undefined, { apiKey, keys }: ResolvedOptions): SentKey {
  const key = /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
  if (key === undefined) return { kind: 'missing', lacks: [] }
  if (key === apiKey) return { kind: 'full', lacks: [] }
  if (key === keys['no-credits']) return { kind: 'open', lacks: [] }
  if (key === keys.revoked) return { kind: 'revoked', lacks: [] }
  const name = LIMITED_KEYS.find((one) => keys[one] === key)
  return name === undefined ? { kind: 'invalid', lacks: [] } : { kind: 'limited', lacks: LACKS[name], name }
}

/** Whether a key lacks a permission. */
export function lacks(name: LimitedKey, permission: Permission): boolean {
  return LACKS[name].some((one) => one === permission)
}

/** The keys that were given and lack a permission, but not this one. */
export function namesOf({ keys }: ResolvedOptions, needed: Permission): LimitedKey[] {
  return LIMITED_KEYS.filter((name) => keys[name] !== undefined && !lacks(name, needed))
}

/** Whether a key has what an endpoint needs, by the plain reading of section 5.4. */
export function mayDo({ kind, lacks: missing }: SentKey, route: RouteName): boolean {
  return (kind === 'full' || kind === 'limited') && !missing.includes(ROUTES[route].permission)
}

/** Keys that differ from the right one as little as can be, by what is wrong with them. */
export function almostKeys(apiKey: string): Record<string, string> {
  const keys = {
    'a key with one character more': `${apiKey}x`,
    'a key with one character less': apiKey.slice(0, -1),
    'a key with another last character': `${apiKey.slice(0, -1)}${apiKey.endsWith('x') ? 'y' : 'x'}`,
    // The prefix stays as it is: it is not secret.
    'a key in other letter case': apiKey.replace(/(?<=^sk_(live|test)_).*/, otherCase),
  }
  return Object.fromEntries(Object.entries(keys).filter(([, key]) => key !== apiKey && key !== ''))
}

function otherCase(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
}
