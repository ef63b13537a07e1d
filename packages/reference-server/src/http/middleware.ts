import { PERMISSION_MEANINGS, type Permission, type Route } from '@modelrun/contract'
import type { MiddlewareHandler } from 'hono'
import type { ApiKey, ApiKeys } from '../domain/api-keys.ts'
import type { Breakpoints } from '../service/breakpoints.ts'
import type { Service } from '../service/service.ts'
import { type AppContext, type AppEnv, respond } from './app-env.ts'
import { errorResponses, isAccepted, reject } from './error-responses.ts'

type Middleware = MiddlewareHandler<AppEnv>

/** Holds requests and their responses until an exploration lets them pass. */
export function passBreakpoints(breakpoints: Breakpoints): Middleware {
  return async (context, next) => {
    const { work } = context.env
    work.park()
    await breakpoints.request(context.req.raw)
    work.resume()
    await next()
    work.park()
    await breakpoints.response(context.req.raw, context.res)
    work.resume()
  }
}

const HOW_TO = 'Send the header "Authorization: Bearer <API_KEY>".'

/** Rejects requests without a valid API key (section 5). */
export function authenticate(service: Service): Middleware {
  return async (context, next) => {
    const found = keyOf(context, service.keys)
    if (typeof found === 'string') return errorResponses.unauthorized(found)
    context.env.apiKey = found
    context.set('apiKey', found)
    if (found.allowsIp(context.env.ip)) return next()
    const message = `This API key may not be used from the address ${context.env.ip}: it is not in the key's allowlist.`
    return respond(context, reject(service, 'ipOutsideAllowlist', { message }))
  }
}

/**
 * The key of a request as it stands now, or what is wrong. The message never repeats what was sent: it may be a secret of
 * another service. Call it again after a body was received: the key may have been revoked, or lost in a restore.
 */
export function keyOf({ req }: AppContext, keys: ApiKeys): ApiKey | string {
  const header = req.header('authorization')
  if (header === undefined || header === '') return `The request has no API key. ${HOW_TO}`
  const key = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (key === undefined) return `The Authorization header is not a bearer token. ${HOW_TO}`
  const found = keys.find(key)
  if (found === undefined) return 'The API key is not known here.'
  return found.isRevoked ? 'The API key was revoked. Use the key that it was replaced by, or a new one.' : found
}

/** Rejects keys without the permissions (section 5). */
export function requirePermission(route: Route, permissions: readonly Permission[]): Middleware {
  return async (context, next) => {
    const has = context.get('apiKey').permissions
    const missing = permissions.find((permission) => !has.includes(permission))
    if (missing === undefined) return next()
    return errorResponses.forbidden(
      `The API key lacks the permission ${missing} ("${PERMISSION_MEANINGS[missing]}") ` +
        `that ${route.method} ${route.path} needs. Use a key that has it.`,
    )
  }
}

/** Rejects query parameters: a `?sync=false` that is ignored would go unnoticed, and cost credits. */
export function rejectQuery(service: Service): Middleware {
  return async (context, next) => {
    if (new URL(context.req.url).search === '' || isAccepted(service, 'unknownQueryParameter')) return next()
    const message = 'This path takes no query parameters. What a run takes is sent in the body.'
    return respond(context, reject(service, 'unknownQueryParameter', { message }))
  }
}
