import { KEY_PREFIXES, ROUTES, type RouteName, routePath } from '@modelrun/contract'
import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { every, type Finding, judge } from '../judge/finding.ts'
import { hasStatus, hasValue, observeRejection } from '../judge/responses.ts'
import type { SpecialKey } from '../options.ts'
import { almostKeys } from '../session/almost-keys.ts'
import type { Session, SessionCall } from '../session/session.ts'
import { firstPage } from './models-scenarios.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

/** Has the form of a key, but does not exist. */
const INVALID_KEY = 'sk_test_conformance_no_such_key'

type ReadRoute = 'listModels' | 'getModel' | 'getJob'
type WriteRoute = Exclude<RouteName, ReadRoute>

/** Endpoints that read. */
const READS = ['listModels', 'getModel', 'getJob'] as const satisfies readonly ReadRoute[]
/** Endpoints that change something. */
const WRITES = ['runModel', 'cancelJob'] as const satisfies readonly WriteRoute[]

/** Every endpoint that reads, without a key. */
export const readsWithoutKey = defineScenario('reads-without-key', {}, (session) =>
  callEach(session, READS, { authorization: null }),
)

/** A run without a key costs nothing, so the plan does not count it. */
const writesWithoutKey = defineScenario('writes-without-key', { writes: true }, (session) =>
  callEach(session, WRITES, { authorization: null }),
)

const readsWithInvalidKey = defineScenario('reads-with-invalid-key', {}, (session) =>
  callEach(session, READS, { key: INVALID_KEY }),
)

const writesWithInvalidKey = defineScenario('writes-with-invalid-key', { writes: true }, (session) =>
  callEach(session, WRITES, { key: INVALID_KEY }),
)

/** The right key, but not as a bearer token. */
const otherScheme = defineScenario('other-scheme', {}, (session) =>
  session.call({ path: ROUTES.listModels.path, authorization: `Basic ${session.options.apiKey}` }),
)

export function listWith(session: Session, key: string): Promise<ApiResponse> {
  return session.call({ path: ROUTES.listModels.path, key })
}

/** A call with the first of these keys that was given. */
export function withKey<Evidence>(
  id: string,
  needs: Omit<Scenario<unknown>, 'id' | 'perform'> & { keys: readonly SpecialKey[] },
  call: (session: Session, key: string) => Promise<Evidence>,
): Scenario<Evidence> {
  return defineScenario(id, needs, (session) => call(session, session.key(needs.keys)))
}

const revokedKey = withKey('revoked-key', { keys: ['revoked'] }, listWith)
const blockedAddress = withKey('blocked-address', { keys: ['blocked-ip'] }, listWith)

/** Sends each endpoint a request for an unknown id. */
async function callEach<Name extends RouteName>(session: Session, names: readonly Name[], call: Partial<SessionCall>) {
  const responses: Partial<Record<Name, ApiResponse>> = {}
  for (const name of names) {
    const { method, path } = ROUTES[name]
    const body = method === 'POST' ? { input: {} } : undefined
    const filled = routePath({ ...ROUTES[name], path }, { id: UNKNOWN_ID, model: UNKNOWN_ID })
    responses[name] = await session.call({ ...call, method, path: filled, body })
  }
  return responses as Record<Name, ApiResponse> // each name was asked above
}

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

const revokedReads = withKey('revoked-reads', { keys: ['revoked'] }, (session, key) =>
  callEach(session, READS, { key }),
)

const revokedWrites = withKey('revoked-writes', { keys: ['revoked'], writes: true }, (session, key) =>
  callEach(session, WRITES, { key }),
)

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

function allUnauthorized(responses: Readonly<Record<string, ApiResponse>>): Finding {
  return every(Object.values(responses).map((response) => hasStatus(response, 401)))
}

function allSayUnauthorized(responses: Readonly<Record<string, ApiResponse>>): Finding {
  return every(Object.values(responses).map((response) => hasValue(response, '/error/code', 'UNAUTHORIZED')))
}

/** Keys and the rejections of those that are missing or wrong (sections 4, 5 and 7). */
export const AUTH_CHECKS: readonly Check[] = [
  check('auth/valid-key-is-accepted', firstPage, (response) => hasStatus(response, 200)),
  check('auth/list-needs-key', readsWithoutKey, ({ listModels }) => hasStatus(listModels, 401)),
  check('auth/model-needs-key', readsWithoutKey, ({ getModel }) => hasStatus(getModel, 401)),
  check('auth/job-needs-key', readsWithoutKey, ({ getJob }) => hasStatus(getJob, 401)),
  check('auth/run-needs-key', writesWithoutKey, ({ runModel }) => hasStatus(runModel, 401)),
  check('auth/cancel-needs-key', writesWithoutKey, ({ cancelJob }) => hasStatus(cancelJob, 401)),
  check('auth/missing-key-code', readsWithoutKey, allSayUnauthorized),
  check('auth/invalid-key-is-rejected', readsWithInvalidKey, allUnauthorized),
  check('auth/invalid-key-writes-are-rejected', writesWithInvalidKey, allUnauthorized),
  check('auth/invalid-key-code', readsWithInvalidKey, allSayUnauthorized),
  check('auth/bearer-scheme', otherScheme, (response) => hasStatus(response, 401)),
  check('auth/key-prefix', firstPage, (response, { options: { apiKey } }) => {
    const prefixes = Object.values(KEY_PREFIXES)
    const isRight = prefixes.some((prefix) => apiKey.startsWith(prefix))
    return judge(isRight, `the key ${isRight ? 'starts' : 'does not start'} with ${prefixes.join(' or ')}`, response)
  }),
  check('auth/revoked-key', revokedKey, (response) => hasStatus(response, 401)),
  check('auth/blocked-address', blockedAddress, observeRejection),
  // Keys that are almost right, or stand at another place than the header.
  check('auth/almost-the-key', almostRight, (responses) => every(responses.map(isRejected))),
  check('auth/key-elsewhere', elsewhere, (responses) => every(responses.map(isRejected))),
  check('auth/key-in-query', inQuery, (response) =>
    judge(response.status >= 400, `the key in the query: status ${response.status}; expected an error`, response),
  ),
  check('auth/missing-key-code-of-writes', writesWithoutKey, allSayUnauthorized),
  check('auth/invalid-key-code-of-writes', writesWithInvalidKey, allSayUnauthorized),
  check('auth/revoked-key-reads', revokedReads, allUnauthorized),
  check('auth/revoked-key-writes', revokedWrites, allUnauthorized),
]
