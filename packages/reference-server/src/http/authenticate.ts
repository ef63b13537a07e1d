import type { MiddlewareHandler } from 'hono'
import type { ApiKey, ApiKeys } from '../domain/api-keys.ts'
import type { Service } from '../service/service.ts'
import type { AppContext, AppEnv } from './app-env.ts'
import { errorResponses } from './error-responses.ts'
import { reject } from './reject.ts'

const HOW_TO = 'Send the header "Authorization: Bearer <API_KEY>".'

/** Lets only requests with a valid API key pass (section 5). */
export function authenticate(service: Service): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    const found = keyOf(context, service.keys)
    if (typeof found === 'string') return errorResponses.unauthorized(found)
    context.env.trace.apiKey = found
    if (!found.allowsIp(context.env.ip)) {
      return reject(
        { service, trace: context.env.trace },
        'ipOutsideAllowlist',
        `This API key may not be used from the address ${context.env.ip}: it is not in the key's allowlist.`,
      )
    }
    context.set('apiKey', found)
    return next()
  }
}

/**
 * The key of a request as it stands now, or what is wrong. Never repeats what was sent: it may be a secret of somewhere
 * else. Ask once more after a body was received: the key may have been revoked meanwhile, or gone with a restored state.
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
