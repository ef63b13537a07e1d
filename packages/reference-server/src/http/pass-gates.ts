import type { MiddlewareHandler } from 'hono'
import type { Gates } from '../service/gates.ts'
import type { AppEnv } from './app-env.ts'

/** Lets requests in and their answers out when an exploration says so. */
export function passGates(gates: Gates): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    const { work } = context.env
    work.park()
    await gates.request(context.req.raw)
    work.resume()
    await next()
    work.park()
    await gates.answer(context.req.raw, context.res)
    work.resume()
  }
}
