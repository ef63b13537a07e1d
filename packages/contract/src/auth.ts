/** The permissions that a key may have (section 5). */
export const PERMISSIONS = ['models:read', 'models:run', 'jobs:read', 'jobs:write', 'webhooks:manage'] as const

/** A permission of an API key (section 5). */
export type Permission = (typeof PERMISSIONS)[number]

/** The prefixes of the two types of API key (section 5). */
export const KEY_PREFIXES = { live: 'sk_live_', test: 'sk_test_' } as const
