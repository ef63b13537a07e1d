import { KEY_PREFIXES } from '@modelrun/contract'
import { type Check, check } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { hasStatus, hasValue, refusalOf, refusalText } from '../judge/answers.ts'
import { every, judge, observe } from '../judge/finding.ts'
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

const all = (answers: Record<string, Answer>) => Object.values(answers)
const allUnauthorized = (answers: Record<string, Answer>) => every(all(answers).map((answer) => hasStatus(answer, 401)))

/** Keys and the rejections of those that are missing or wrong (sections 4, 5 and 7). */
export const AUTH_CHECKS: readonly Check[] = [
  check('auth/valid-key-is-accepted', firstPage, (answer) => hasStatus(answer, 200)),
  check('auth/list-needs-key', readsWithoutKey, ({ listModels }) => hasStatus(listModels, 401)),
  check('auth/model-needs-key', readsWithoutKey, ({ getModel }) => hasStatus(getModel, 401)),
  check('auth/job-needs-key', readsWithoutKey, ({ getJob }) => hasStatus(getJob, 401)),
  check('auth/run-needs-key', writesWithoutKey, ({ runModel }) => hasStatus(runModel, 401)),
  check('auth/cancel-needs-key', writesWithoutKey, ({ cancelJob }) => hasStatus(cancelJob, 401)),
  check('auth/missing-key-code', readsWithoutKey, (answers) =>
    every(all(answers).map((answer) => hasValue(answer, '/error/code', 'UNAUTHORIZED'))),
  ),
  check('auth/invalid-key-is-refused', readsWithInvalidKey, allUnauthorized),
  check('auth/invalid-key-writes-are-refused', writesWithInvalidKey, allUnauthorized),
  check('auth/invalid-key-code', readsWithInvalidKey, (answers) =>
    every(all(answers).map((answer) => hasValue(answer, '/error/code', 'UNAUTHORIZED'))),
  ),
  check('auth/bearer-scheme', otherScheme, (answer) => hasStatus(answer, 401)),
  check('auth/key-prefix', firstPage, (answer, { options: { apiKey } }) => {
    const prefixes = Object.values(KEY_PREFIXES)
    const isRight = prefixes.some((prefix) => apiKey.startsWith(prefix))
    return judge(isRight, `the key ${isRight ? 'begins' : 'does not begin'} with ${prefixes.join(' or ')}`, answer)
  }),
  check('auth/revoked-key', revokedKey, (answer) => hasStatus(answer, 401)),
  check('auth/blocked-address', blockedAddress, (answer) => observe(refusalOf(answer), refusalText(answer), answer)),
]
