import { ROUTES } from '@modelrun/contract'
import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { every, type Finding, judge } from '../judge/finding.ts'
import { hasStatus, hasValue } from '../judge/responses.ts'
import { almostKeys } from '../session/almost-keys.ts'
import type { Session, SessionCall } from '../session/session.ts'
import { callEach, READS, WRITES, withKey, writesWithInvalidKey, writesWithoutKey } from './auth-scenarios.ts'

/** Has the form of a live key, but does not exist. */
const INVALID_LIVE_KEY = 'sk_live_conformance_no_such_key'

/** A request with a key that must not be accepted, and what is wrong with it. */
interface WrongKey {
  wrong: string
  response: ApiResponse
}

const almostRight = defineScenario('almost-the-key', {}, (session) => {
  const wrong = Object.entries(almostKeys(session.options.apiKey)).map(([what, key]) => [what, { key }] as const)
  return list(session, [...wrong, ['a live key that does not exist', { key: INVALID_LIVE_KEY }]])
})

/** The right key in the wrong place. */
const elsewhere = defineScenario('key-elsewhere', {}, (session) => {
  const { apiKey } = session.options
  return list(session, [
    ['a header without a scheme', { authorization: apiKey }],
    ['the scheme Token', { authorization: `Token ${apiKey}` }],
    ['the scheme Bearer without a key', { authorization: 'Bearer' }],
    ['the key in x-api-key', { authorization: null, headers: { 'x-api-key': apiKey } }],
  ])
})

/** The key in the query, under common parameter names. A service may reject such a query for another reason. */
const inQuery = defineScenario('key-in-query', {}, (session) => {
  const query = ['api_key', 'key', 'token', 'access_token'].map((name) => `${name}=${session.options.apiKey}`)
  return session.call({ path: `${ROUTES.listModels.path}?${query.join('&')}`, authorization: null })
})

const revokedReads = withKey('revoked-reads', { keys: ['revoked'] }, async (session, key) =>
  Object.values(await callEach(session, READS, { key })),
)

const revokedWrites = withKey('revoked-writes', { keys: ['revoked'], writes: true }, async (session, key) =>
  Object.values(await callEach(session, WRITES, { key })),
)

/** Keys that are almost right, or stand at another place than the header (sections 5 and 7). */
export const AUTH_VARIANTS_CHECKS: readonly Check[] = [
  check('auth/almost-the-key', almostRight, (responses) => every(responses.map(isRejected))),
  check('auth/key-elsewhere', elsewhere, (responses) => every(responses.map(isRejected))),
  check('auth/key-in-query', inQuery, (response) =>
    judge(response.status >= 400, `the key in the query: status ${response.status}; expected an error`, response),
  ),
  check('auth/missing-key-code-of-writes', writesWithoutKey, (responses) =>
    every(Object.values(responses).map(hasCode)),
  ),
  check('auth/invalid-key-code-of-writes', writesWithInvalidKey, (responses) =>
    every(Object.values(responses).map(hasCode)),
  ),
  check('auth/revoked-key-reads', revokedReads, (responses) =>
    every(responses.map((response) => hasStatus(response, 401))),
  ),
  check('auth/revoked-key-writes', revokedWrites, (responses) =>
    every(responses.map((response) => hasStatus(response, 401))),
  ),
]

async function list(session: Session, variants: readonly (readonly [string, Partial<SessionCall>])[]) {
  const responses: WrongKey[] = []
  for (const [wrong, call] of variants) {
    responses.push({ wrong, response: await session.call({ ...call, path: ROUTES.listModels.path }) })
  }
  return responses
}

function isRejected({ wrong, response }: WrongKey): Finding {
  return judge(response.status === 401, `${wrong}: status ${response.status}; expected 401`, response)
}

function hasCode(response: ApiResponse): Finding {
  return hasValue(response, '/error/code', 'UNAUTHORIZED')
}
