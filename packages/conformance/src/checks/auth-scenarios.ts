import { ROUTES, type RouteName, routePath } from '@modelrun/contract'
import { defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { SpecialKey } from '../options.ts'
import type { Session, SessionCall } from '../session/session.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

/** Has the form of a key, but does not exist. */
const INVALID_KEY = 'sk_test_conformance_no_such_key'

type ReadRoute = 'listModels' | 'getModel' | 'getJob'
type WriteRoute = Exclude<RouteName, ReadRoute>

/** Endpoints that read. */
export const READS = ['listModels', 'getModel', 'getJob'] as const satisfies readonly ReadRoute[]
/** Endpoints that change something. */
export const WRITES = ['runModel', 'cancelJob'] as const satisfies readonly WriteRoute[]

/** Every endpoint that reads, without a key. */
export const readsWithoutKey = defineScenario('reads-without-key', {}, (session) =>
  callEach(session, READS, { authorization: null }),
)

/** A run without a key costs nothing, so the plan does not count it. */
export const writesWithoutKey = defineScenario('writes-without-key', { writes: true }, (session) =>
  callEach(session, WRITES, { authorization: null }),
)

export const readsWithInvalidKey = defineScenario('reads-with-invalid-key', {}, (session) =>
  callEach(session, READS, { key: INVALID_KEY }),
)

export const writesWithInvalidKey = defineScenario('writes-with-invalid-key', { writes: true }, (session) =>
  callEach(session, WRITES, { key: INVALID_KEY }),
)

/** The right key, but not as a bearer token. */
export const otherScheme = defineScenario('other-scheme', {}, (session) =>
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

export const revokedKey = withKey('revoked-key', { keys: ['revoked'] }, listWith)
export const blockedAddress = withKey('blocked-address', { keys: ['blocked-ip'] }, listWith)

/** Sends each endpoint a request for an unknown id. */
export async function callEach<Name extends RouteName>(
  session: Session,
  names: readonly Name[],
  call: Partial<SessionCall>,
) {
  const responses: Partial<Record<Name, ApiResponse>> = {}
  for (const name of names) {
    const { method, path } = ROUTES[name]
    const body = method === 'POST' ? { input: {} } : undefined
    const filled = routePath({ ...ROUTES[name], path }, { id: UNKNOWN_ID, model: UNKNOWN_ID })
    responses[name] = await session.call({ ...call, method, path: filled, body })
  }
  return responses as Record<Name, ApiResponse> // each name was asked above
}
