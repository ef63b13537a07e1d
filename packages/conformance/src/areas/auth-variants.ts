import { ROUTES } from '@modelrun/contract'
import { type Check, check, type Scenario } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { hasStatus, hasValue } from '../judge/answers.ts'
import { every, type Finding, judge } from '../judge/finding.ts'
import { almostKeys } from '../session/almost-keys.ts'
import type { Session, SessionCall } from '../session/session.ts'
import { askEach, READS, WRITES, writesWithInvalidKey, writesWithoutKey } from './auth-scenarios.ts'

/** Looks like a live key, and is none. */
const INVALID_LIVE_KEY = 'sk_live_conformance_no_such_key'

/** A request with a key that must not be accepted, and what is wrong with it. */
interface WrongKey {
  wrong: string
  answer: Answer
}

const almostRight: Scenario<readonly WrongKey[]> = {
  id: 'almost-the-key',
  perform: (session) => {
    const wrong = Object.entries(almostKeys(session.options.apiKey)).map(([what, key]) => [what, { key }] as const)
    return list(session, [...wrong, ['a live key that does not exist', { key: INVALID_LIVE_KEY }]])
  },
}

/** The right key where it does not belong. */
const elsewhere: Scenario<readonly WrongKey[]> = {
  id: 'key-elsewhere',
  perform: (session) => {
    const { apiKey } = session.options
    return list(session, [
      ['a header without a scheme', { authorization: apiKey }],
      ['the scheme Token', { authorization: `Token ${apiKey}` }],
      ['the scheme Bearer without a key', { authorization: 'Bearer' }],
      ['the key in x-api-key', { authorization: null, headers: { 'x-api-key': apiKey } }],
    ])
  },
}

/** The key in the query, under the usual names: a service may reject such a query for another reason. */
const inQuery: Scenario<Answer> = {
  id: 'key-in-query',
  perform: (session) => {
    const query = ['api_key', 'key', 'token', 'access_token'].map((name) => `${name}=${session.options.apiKey}`)
    return session.call({ path: `${ROUTES.listModels.path}?${query.join('&')}`, authorization: null })
  },
}

const revokedReads: Scenario<readonly Answer[]> = {
  id: 'revoked-reads',
  keys: ['revoked'],
  perform: async (session) => Object.values(await askEach(session, READS, { key: session.key(['revoked']) })),
}

const revokedWrites: Scenario<readonly Answer[]> = {
  id: 'revoked-writes',
  keys: ['revoked'],
  writes: true,
  perform: async (session) => Object.values(await askEach(session, WRITES, { key: session.key(['revoked']) })),
}

/** Keys that are almost right, or stand at another place than the header (sections 5 and 7). */
export const AUTH_VARIANTS_CHECKS: readonly Check[] = [
  check('auth/almost-the-key', almostRight, (answers) => every(answers.map(isRejected))),
  check('auth/key-elsewhere', elsewhere, (answers) => every(answers.map(isRejected))),
  check('auth/key-in-query', inQuery, (answer) =>
    judge(answer.status >= 400, `the key in the query: status ${answer.status}; expected an error`, answer),
  ),
  check('auth/missing-key-code-of-writes', writesWithoutKey, (answers) => every(Object.values(answers).map(hasCode))),
  check('auth/invalid-key-code-of-writes', writesWithInvalidKey, (answers) =>
    every(Object.values(answers).map(hasCode)),
  ),
  check('auth/revoked-key-reads', revokedReads, (answers) => every(answers.map((answer) => hasStatus(answer, 401)))),
  check('auth/revoked-key-writes', revokedWrites, (answers) => every(answers.map((answer) => hasStatus(answer, 401)))),
]

async function list(session: Session, variants: readonly (readonly [string, Partial<SessionCall>])[]) {
  const answers: WrongKey[] = []
  for (const [wrong, call] of variants) {
    answers.push({ wrong, answer: await session.call({ ...call, path: ROUTES.listModels.path }) })
  }
  return answers
}

function isRejected({ wrong, answer }: WrongKey): Finding {
  return judge(answer.status === 401, `${wrong}: status ${answer.status}; expected 401`, answer)
}

function hasCode(answer: Answer): Finding {
  return hasValue(answer, '/error/code', 'UNAUTHORIZED')
}
