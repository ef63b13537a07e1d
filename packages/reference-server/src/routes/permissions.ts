import type { Route } from '@modelrun/contract'
import type { ApiKey } from '../domain/api-keys.ts'
import type { Service } from '../service/service.ts'
import { errorResponses, rejectionResponse } from '../wire/error-responses.ts'
import type { IncomingRequest, Reply } from '../wire/messages.ts'
import type { AppContext, KeyContext } from './app-env.ts'

const HOW_TO = 'Send the header "Authorization: Bearer <API_KEY>".'

/**
 * The current state of the request's key, or the problem with it. The message never repeats what was sent: it may be a
 * secret of another service. Call it again after a body was received: the key may have been revoked, or lost in a restore.
 */
export function findKey({ headers }: IncomingRequest, { keys }: Service): ApiKey | string {
  const header = headers.get('authorization')
  if (header === null || header === '') return `The request has no API key. ${HOW_TO}`
  const key = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (key === undefined) return `The Authorization header is not a bearer token. ${HOW_TO}`
  const found = keys.find(key)
  if (found === undefined) return 'The API key is not known here.'
  return found.isRevoked ? 'The API key was revoked. Use the key that it was replaced by, or a new one.' : found
}

/** Rejects a key without the permission (section 5.5). */
export function missingPermission(
  { method, path, permission }: Route,
  { env: { apiKey } }: KeyContext,
): Reply | undefined {
  if (apiKey.permissions.includes(permission)) return undefined
  const message = `The API key lacks the permission ${permission} that ${method} ${path} needs. Use a key that has it.`
  return errorResponses.forbidden(message)
}

/** Rejects query parameters: a `?sync=false` that is ignored would go unnoticed, and cost credits. */
export function unwantedQuery({ options }: Service, { req }: AppContext): Reply | undefined {
  if (!/\?[^#]/.test(req.raw.url)) return undefined
  const message = 'Invalid query: this path takes no query parameters. What a run takes is sent in the body.'
  return rejectionResponse(options.assumptions.wrongRequest, message)
}
