import { KEY_PREFIXES, PERMISSIONS, type Permission } from '@modelrun/contract'
import type { Random } from '../shared/random.ts'
import { Account } from './account.ts'
import { createIpAllowlist } from './ip-allowlist.ts'

/** So many random characters follow the prefix of a key. */
const KEY_LETTERS = 32

/** An API key and what it may do (section 5). */
export interface ApiKey {
  readonly key: string
  readonly account: Account
  readonly isLive: boolean
  permissions: readonly Permission[]
  /** Addresses and networks that may use it; `undefined`: all. */
  allowIps: readonly string[] | undefined
  allowsIp: (ip: string) => boolean
  isRevoked: boolean
}

interface NewApiKey extends Pick<ApiKey, 'isLive' | 'permissions' | 'allowIps'> {
  /** Credits of the account that is made for it. */
  credits: number
  /** Instead of one that is made from the seed. */
  key?: string | undefined
}

/** The next key that is made from a source of random numbers. */
export function newKey(random: Random, isLive: boolean): string {
  return random.id(isLive ? KEY_PREFIXES.live : KEY_PREFIXES.test, KEY_LETTERS)
}

/** All keys, revoked ones included. */
export class ApiKeys {
  readonly #byKey = new Map<string, ApiKey>()
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** Makes a key with an account of its own. */
  create({ isLive, permissions, credits, allowIps, key: chosen }: NewApiKey): ApiKey {
    const made = newKey(this.#random, isLive) // also when it is not used: the ids that come after it stay the same
    const key = chosen ?? made
    return this.#add({
      key,
      isLive,
      permissions,
      allowIps,
      account: new Account(credits, showKey(key), this.#random.seed),
    })
  }

  /** Replaces a key by a new one that may do the same, for the same account. */
  rotate(key: string): ApiKey {
    const old = this.get(key)
    if (old.isRevoked) throw new Error('That API key is revoked, so it cannot be rotated. createKey() makes another.')
    old.isRevoked = true
    return this.#add({ ...old, key: newKey(this.#random, old.isLive) })
  }

  /** The first key. @throws Error before it exists */
  get first(): ApiKey {
    for (const key of this.#byKey.values()) return key
    throw new Error('No API key was made yet.')
  }

  find(key: string): ApiKey | undefined {
    return this.#byKey.get(key)
  }

  /** @throws Error for a key that this server did not make */
  get(key: string): ApiKey {
    const found = this.#byKey.get(key)
    if (found === undefined) throw new Error('This server did not make that API key. createKey() makes one.')
    return found
  }

  /** All keys, revoked ones included, in the order of their creation. */
  all(): ApiKey[] {
    return [...this.#byKey.values()]
  }

  /** Forgets every key, and knows these instead. */
  replace(keys: readonly Omit<ApiKey, 'allowsIp'>[]): void {
    this.#byKey.clear()
    for (const { isRevoked, ...key } of keys) this.#add(key).isRevoked = isRevoked
  }

  /** Every account there is, of revoked keys too. */
  accounts(): Set<Account> {
    return new Set([...this.#byKey.values()].map(({ account }) => account))
  }

  #add({ key, isLive, permissions, allowIps, account }: Omit<ApiKey, 'allowsIp' | 'isRevoked'>): ApiKey {
    const allowsIp = allowIps === undefined ? () => true : createIpAllowlist(allowIps)
    const made = {
      key,
      account,
      isLive,
      permissions: PERMISSIONS.filter((permission) => permissions.includes(permission)),
      allowIps: allowIps && [...allowIps],
      allowsIp,
      isRevoked: false,
    }
    this.#byKey.set(key, made)
    return made
  }
}

/** Number of letters that distinguish the tenants of this server without showing a secret. */
const SHOWN_LETTERS = 4

/** The start of an API key of this server, safe to show: `sk_test_ab12…`. */
export function showKey(key: string): string {
  const [prefix = ''] = /^sk_(?:live|test)_/.exec(key) ?? []
  return `${key.slice(0, prefix.length + SHOWN_LETTERS)}…`
}
