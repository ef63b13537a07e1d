import { KEY_PREFIXES } from '@modelrun/contract'
import { type Check, check } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { every, judge } from '../judge/finding.ts'
import { hasStatus, hasValue, observeRejection } from '../judge/responses.ts'
import {
  blockedAddress,
  otherScheme,
  readsWithInvalidKey,
  readsWithoutKey,
  revokedKey,
  writesWithInvalidKey,
  writesWithoutKey,
} from './auth-scenarios.ts'
import { firstPage } from './models-scenarios.ts'

const all = (responses: Record<string, ApiResponse>) => Object.values(responses)
const allUnauthorized = (responses: Record<string, ApiResponse>) =>
  every(all(responses).map((response) => hasStatus(response, 401)))

/** Keys and the rejections of those that are missing or wrong (sections 4, 5 and 7). */
export const AUTH_CHECKS: readonly Check[] = [
  check('auth/valid-key-is-accepted', firstPage, (response) => hasStatus(response, 200)),
  check('auth/list-needs-key', readsWithoutKey, ({ listModels }) => hasStatus(listModels, 401)),
  check('auth/model-needs-key', readsWithoutKey, ({ getModel }) => hasStatus(getModel, 401)),
  check('auth/job-needs-key', readsWithoutKey, ({ getJob }) => hasStatus(getJob, 401)),
  check('auth/run-needs-key', writesWithoutKey, ({ runModel }) => hasStatus(runModel, 401)),
  check('auth/cancel-needs-key', writesWithoutKey, ({ cancelJob }) => hasStatus(cancelJob, 401)),
  check('auth/missing-key-code', readsWithoutKey, (responses) =>
    every(all(responses).map((response) => hasValue(response, '/error/code', 'UNAUTHORIZED'))),
  ),
  check('auth/invalid-key-is-rejected', readsWithInvalidKey, allUnauthorized),
  check('auth/invalid-key-writes-are-rejected', writesWithInvalidKey, allUnauthorized),
  check('auth/invalid-key-code', readsWithInvalidKey, (responses) =>
    every(all(responses).map((response) => hasValue(response, '/error/code', 'UNAUTHORIZED'))),
  ),
  check('auth/bearer-scheme', otherScheme, (response) => hasStatus(response, 401)),
  check('auth/key-prefix', firstPage, (response, { options: { apiKey } }) => {
    const prefixes = Object.values(KEY_PREFIXES)
    const isRight = prefixes.some((prefix) => apiKey.startsWith(prefix))
    return judge(isRight, `the key ${isRight ? 'starts' : 'does not start'} with ${prefixes.join(' or ')}`, response)
  }),
  check('auth/revoked-key', revokedKey, (response) => hasStatus(response, 401)),
  check('auth/blocked-address', blockedAddress, observeRejection),
]
