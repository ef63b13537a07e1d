import { PERMISSIONS } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../shared/random.ts'
import { ApiKeys } from './api-keys.ts'

const ALL = { isLive: false, permissions: PERMISSIONS, credits: 10, allowIps: undefined }

function apiKeys(): ApiKeys {
  return new ApiKeys(createRandom(1))
}

describe('API keys', () => {
  it('start with the prefix of their type (section 5.3)', () => {
    const keys = apiKeys()
    expect(keys.create(ALL).key).toMatch(/^sk_test_[0-9a-z]{32}$/)
    expect(keys.create({ ...ALL, isLive: true }).key).toMatch(/^sk_live_[0-9a-z]{32}$/)
  })

  it('have an account each', () => {
    const keys = apiKeys()
    const [one, other] = [keys.create(ALL), keys.create(ALL)]
    expect(one.account).not.toBe(other.account)
    expect(keys.accounts()).toEqual(new Set([one.account, other.account]))
  })

  it('are rotated by a new key for the same account, the old one revoked (section 5.6)', () => {
    const keys = apiKeys()
    const old = keys.create({ ...ALL, isLive: true, permissions: ['jobs:read'], allowIps: ['10.0.0.0/8'] })
    const made = keys.rotate(old.key)
    expect(old.isRevoked).toBe(true)
    expect(made).toMatchObject({ isLive: true, permissions: ['jobs:read'], allowIps: ['10.0.0.0/8'], isRevoked: false })
    expect(made.key).not.toBe(old.key)
    expect(made.account).toBe(old.account)
    expect(made.allowsIp('10.1.2.3')).toBe(true)
    expect(made.allowsIp('11.1.2.3')).toBe(false)
  })

  it('are found by their text, and an unknown key is not found', () => {
    const keys = apiKeys()
    const made = keys.create(ALL)
    expect(keys.find(made.key)).toBe(made)
    expect(keys.find('sk_test_other')).toBeUndefined()
    expect(() => keys.get('sk_test_other')).toThrow('did not make that API key')
  })

  it('keep each permission once, and a copy of their lists', () => {
    const keys = apiKeys()
    const allowIps = ['10.0.0.1']
    const made = keys.create({ ...ALL, permissions: ['jobs:read', 'jobs:read', 'models:read'], allowIps })
    allowIps.push('10.0.0.2')
    expect(made.permissions).toEqual(['models:read', 'jobs:read'])
    expect(made.allowIps).toEqual(['10.0.0.1'])
  })

  it('reject an allowlist that cannot be read', () => {
    expect(() => apiKeys().create({ ...ALL, allowIps: ['not an address'] })).toThrow(TypeError)
  })
})
