import { PERMISSIONS } from '@modelrun/contract'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../shared/random.ts'
import { ApiKeys } from './api-keys.ts'

const ALL = { isLive: false, permissions: PERMISSIONS, credits: 10, allowIps: undefined }

function apiKeys(): ApiKeys {
  return new ApiKeys(createRandom(1))
}

describe('API keys', () => {
  it('keep each permission once, and a copy of their lists', () => {
    const keys = apiKeys()
    const allowIps = ['10.0.0.1']
    const made = keys.create({ ...ALL, permissions: ['jobs:read', 'jobs:read', 'models:read'], allowIps })
    allowIps.push('10.0.0.2')
    expect(made.permissions).toEqual(['models:read', 'jobs:read'])
    expect(made.allowIps).toEqual(['10.0.0.1'])
  })
})
