import { PERMISSION_MEANINGS, type Permission, type Route } from '@modelrun/contract'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './app-env.ts'
import { errorResponses } from './error-responses.ts'

/** Lets only keys with the permissions pass (section 5). */
export function requirePermission(route: Route, permissions: readonly Permission[]): MiddlewareHandler<AppEnv> {
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
