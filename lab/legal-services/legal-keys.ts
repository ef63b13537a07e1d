/** Who sends a request, and what the key allows (section 5). */
export interface LegalKey {
  account: string
  permissions: readonly string[]
  isRevoked?: boolean
}

const ALL = ['models:read', 'models:run', 'jobs:read', 'jobs:write', 'webhooks:manage']
const without = (name: string): LegalKey => ({ account: 'main', permissions: ALL.filter((one) => one !== name) })

export const LEGAL_KEY = 'sk_test_legal_0123456789abcdef'

/** Every special key by the name that the suite has for it. */
export const LEGAL_SPECIAL_KEYS = {
  'read-only': 'sk_test_legal_read_only',
  'without-models-read': 'sk_test_legal_no_models_read',
  'without-models-run': 'sk_test_legal_no_models_run',
  'without-jobs-read': 'sk_test_legal_no_jobs_read',
  'without-jobs-write': 'sk_test_legal_no_jobs_write',
  'without-webhooks-manage': 'sk_test_legal_no_webhooks',
  revoked: 'sk_test_legal_revoked',
  'no-credits': 'sk_test_legal_poor',
} as const

const KEYS = new Map<string, LegalKey>([
  [LEGAL_KEY, { account: 'main', permissions: ALL }],
  [LEGAL_SPECIAL_KEYS['read-only'], { account: 'main', permissions: ['models:read', 'jobs:read'] }],
  [LEGAL_SPECIAL_KEYS['without-models-read'], without('models:read')],
  [LEGAL_SPECIAL_KEYS['without-models-run'], without('models:run')],
  [LEGAL_SPECIAL_KEYS['without-jobs-read'], without('jobs:read')],
  [LEGAL_SPECIAL_KEYS['without-jobs-write'], without('jobs:write')],
  [LEGAL_SPECIAL_KEYS['without-webhooks-manage'], without('webhooks:manage')],
  [LEGAL_SPECIAL_KEYS.revoked, { account: 'main', permissions: ALL, isRevoked: true }],
  [LEGAL_SPECIAL_KEYS['no-credits'], { account: 'poor', permissions: ALL }],
])

/** The key of an `Authorization` header; `undefined` when it is missing or not valid. */
export function keyOf(header: string | null): LegalKey | undefined {
  const token = /^Bearer (\S+)$/.exec(header ?? '')?.[1]
  const key = token === undefined ? undefined : KEYS.get(token)
  return key?.isRevoked ? undefined : key
}
