import type { MiddlewareHandler } from 'hono'
import type { Service } from '../service/service.ts'
import type { AppEnv } from './app-env.ts'
import { isAccepted, reject } from './reject.ts'

/** Lets only requests without query parameters pass: a `?sync=false` that is ignored would go unnoticed, and cost credits. */
export function rejectQuery(service: Service): MiddlewareHandler<AppEnv> {
  return async (context, next) => {
    if (new URL(context.req.url).search === '' || isAccepted(service, 'unknownQueryParameter')) return next()
    const advice = 'This path takes no query parameters. What a run takes is sent in the body.'
    return reject({ service, trace: context.env.trace }, 'unknownQueryParameter', advice)
  }
}
