import type { Permission } from '@modelrun/contract'
import type { ResolvedOptions, SpecialKey } from '../options.ts'

/** The key of a request, by what the specification says about it (section 5). */
export interface SentKey {
  /** `open`: a valid key that may be rejected for something else, such as its address. */
  kind: 'full' | 'limited' | 'missing' | 'invalid' | 'revoked' | 'open'
  /** The permissions that a limited key lacks. */
  lacks: readonly Permission[]
  /** Of a limited key. */
  name?: LimitedKey
}

/** What the special keys lack. A key that is not here lacks no permission. */
export const LACKS = {
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

/** Classifies the header `Authorization`. What is no bearer token is a missing key. */
export function sentKey(authorization: string | undefined, { apiKey, keys }: ResolvedOptions): SentKey {
  const key = /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
  if (key === undefined) return { kind: 'missing', lacks: [] }
  if (key === apiKey) return { kind: 'full', lacks: [] }
  if (key === keys['blocked-ip'] || key === keys['no-credits']) return { kind: 'open', lacks: [] }
  if (key === keys.revoked) return { kind: 'revoked', lacks: [] }
  const name = LIMITED_KEYS.find((one) => keys[one] === key)
  return name === undefined ? { kind: 'invalid', lacks: [] } : { kind: 'limited', lacks: LACKS[name], name }
}
