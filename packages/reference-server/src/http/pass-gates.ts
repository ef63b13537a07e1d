import type { MiddlewareHandler } from 'hono'
import type { Breakpoints } from '../service/breakpoints.ts'
import type { AppEnv } from './app-env.ts'

/** Lets requests in and their answers out when an exploration says so. */
export function passBreakpoints(breakpoints: Breakpoints): MiddlewareHandler<AppEnv> {
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
