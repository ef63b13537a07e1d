import type { Account } from '../domain/account.ts'
import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import type { Service } from '../service/service.ts'

/** Below it the server itself is steered, also from other processes and languages. */
export const CONTROL_PREFIX = '/_reference'

/** One call of the control API. */
export interface ControlRoute {
  /** Its name in the OpenAPI document, which says what it takes and gives: `control-document/operations.ts`. */
  operationId: string
  method: 'GET' | 'POST' | 'DELETE'
  /** Path below the prefix, such as `keys` or `jobs/{id}`. */
  name: string
  handler(service: Service, context: AppContext): Response | Promise<Response>
}

/** The account that a control request means: of the key that it names, else of the first key. */
export function findAccount(service: Service, key: string | undefined): Account | undefined {
  return key === undefined ? service.firstKey.account : service.keys.find(key)?.account
}

export function unknownKey(): Response {
  return errorResponses.notFound(`This server did not make that API key. POST ${CONTROL_PREFIX}/keys makes one.`)
}
