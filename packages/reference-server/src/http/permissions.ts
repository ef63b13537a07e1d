import { PERMISSION_MEANINGS, type Permission, ROUTES, type Route, type RouteName } from '@modelrun/contract'
import type { ApiKey } from '../domain/api-keys.ts'
import type { Service } from '../service/service.ts'
import type { AppContext, KeyContext, RouteResult } from './app-env.ts'
import { errorResponses, isAccepted, reject } from './error-responses.ts'
import type { IncomingRequest } from './messages.ts'

const HOW_TO = 'Send the header "Authorization: Bearer <API_KEY>".'

/**
 * The current state of the request's key, or the problem with it. The message never repeats what was sent: it may be a
 * secret of another service. Call it again after a body was received: the key may have been revoked, or lost in a restore.
 */
export function findKey({ headers }: IncomingRequest, { keys, options }: Service): ApiKey | string {
  const header = headers.get('authorization')
  if (header === null || header === '') return `The request has no API key. ${HOW_TO}`
  const bearer = options.assumptions.bearerCase === 'counts' ? /^Bearer +(\S+) *$/ : /^Bearer +(\S+) *$/i
  const key = bearer.exec(header)?.[1]
  if (key === undefined) return `The Authorization header is not a bearer token. ${HOW_TO}`
  const found = keys.find(key)
  if (found === undefined) return 'The API key is not known here.'
  return found.isRevoked ? 'The API key was revoked. Use the key that it was replaced by, or a new one.' : found
}

/** The permissions that an endpoint needs (section 5.4). */
export function permissionsFor({ options }: Service, name: RouteName): Permission[] {
  const needsMore = name === 'runModel' && options.assumptions.runNeedsJobsWrite
  return [ROUTES[name].permission, ...(needsMore ? ['jobs:write' as const] : [])]
}

/** Rejects a key without the permissions (section 5.5). */
export function missingPermission(
  route: Route,
  permissions: readonly Permission[],
  { env: { apiKey } }: KeyContext,
): RouteResult | undefined {
  const missing = permissions.find((permission) => !apiKey.permissions.includes(permission))
  if (missing === undefined) return undefined
  const message =
    `The API key lacks the permission ${missing} ("${PERMISSION_MEANINGS[missing]}") ` +
    `that ${route.method} ${route.path} needs. Use a key that has it.`
  return { response: errorResponses.forbidden(message) }
}

/** Rejects query parameters: a `?sync=false` that is ignored would go unnoticed, and cost credits. */
export function unwantedQuery(service: Service, { req }: AppContext): RouteResult | undefined {
  if (!/\?[^#]/.test(req.raw.url) || isAccepted(service, 'unknownQueryParameter')) return undefined
  const message = 'This path takes no query parameters. What a run takes is sent in the body.'
  return reject(service, 'unknownQueryParameter', { message })
}
