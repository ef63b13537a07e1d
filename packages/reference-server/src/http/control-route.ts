import type { Account } from '../domain/account.ts'
import type { Service } from '../service/service.ts'
import type { AppContext } from './app-env.ts'
import { refusals } from './refusals.ts'

/** Below it the server itself is steered, also from other processes and languages. */
export const CONTROL_PREFIX = '/_reference'

/** One call of the control API. */
export interface ControlRoute {
  method: 'GET' | 'POST' | 'DELETE'
  /** Path below the prefix, such as `keys` or `jobs/{id}`. */
  name: string
  /** What it takes, as `GET /_reference` and the guide show it: the members of its body, or its query. */
  takes?: string | undefined
  /** The members of its response, as they are shown there. */
  gives: string
  /** What else is worth knowing, in a few words. */
  note?: string | undefined
  handler(service: Service, context: AppContext): Response | Promise<Response>
}

/** The account that a control request means: of the key that it names, else of the first key. */
export function findAccount(service: Service, key: string | undefined): Account | undefined {
  return key === undefined ? service.firstKey.account : service.keys.find(key)?.account
}

export function unknownKey(): Response {
  return refusals.notFound(`This server did not make that API key. POST ${CONTROL_PREFIX}/keys makes one.`)
}
