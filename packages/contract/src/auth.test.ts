import { expect, test } from 'vitest'
import { KEY_PREFIXES, PERMISSION_MEANINGS, PERMISSIONS } from './auth.ts'

test('names the five permissions (section 5.4)', () => {
  expect(PERMISSIONS).toEqual(['models:read', 'models:run', 'jobs:read', 'jobs:write', 'webhooks:manage'])
})

test('says of each permission what it allows (section 5.4)', () => {
  expect(PERMISSION_MEANINGS).toEqual({
    'models:read': 'List and view model information',
    'models:run': 'Execute model inference',
    'jobs:read': 'View job status and results',
    'jobs:write': 'Create and cancel jobs',
    'webhooks:manage': 'Create and manage webhooks',
  })
})

test('distinguishes live and test keys by their prefix (section 5.3)', () => {
  expect(KEY_PREFIXES).toEqual({ live: 'sk_live_', test: 'sk_test_' })
})
