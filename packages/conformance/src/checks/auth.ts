import { KEY_PREFIXES, ROUTES } from '@modelrun/contract'
import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { judge } from '../judge/finding.ts'
import { observeRejection } from '../judge/responses.ts'
import type { SpecialKey } from '../options.ts'
import type { Session } from '../session/session.ts'
import { firstPage, listModels } from './models.ts'

/** A call with the first of these keys that was given. */
export function withKey<Evidence>(
  id: string,
  needs: Omit<Scenario<unknown>, 'id' | 'perform'> & { keys: readonly SpecialKey[] },
  call: (session: Session, key: string) => Promise<Evidence>,
): Scenario<Evidence> {
  return defineScenario(id, needs, (session) => call(session, session.key(needs.keys)))
}

const blockedAddress = withKey(
  'blocked-address',
  { keys: ['blocked-ip'] },
  (session, key): Promise<ApiResponse> => listModels(session, {}, { key }),
)

/** The key in the query, under common parameter names. A service may reject such a query for another reason. */
const inQuery = defineScenario('key-in-query', {}, (session) => {
  const query = ['api_key', 'key', 'token', 'access_token'].map((name) => `${name}=${session.options.apiKey}`)
  return session.call({ path: `${ROUTES.listModels.path}?${query.join('&')}`, authorization: null, isOpen: true })
})

/** Keys (section 5). What is rejected for its key, wherever it is sent, has judges of its own. */
export const AUTH_CHECKS: readonly Check[] = [
  check('auth/key-prefix', firstPage, (response, { options: { apiKey } }) => {
    const prefixes = Object.values(KEY_PREFIXES)
    const isRight = prefixes.some((prefix) => apiKey.startsWith(prefix))
    return judge(isRight, `the key ${isRight ? 'starts' : 'does not start'} with ${prefixes.join(' or ')}`, response)
  }),
  check('auth/blocked-address', blockedAddress, observeRejection),
  check('auth/key-in-query', inQuery, (response) =>
    judge(response.status >= 400, `the key in the query: status ${response.status}; expected an error`, response),
  ),
]
