import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './app-env.ts'
import { refusals } from './refusals.ts'

/** Lets only requests without query parameters pass: a `?sync=false` that is ignored would go unnoticed, and cost credits. */
export const refuseQuery: MiddlewareHandler<AppEnv> = async (context, next) => {
  if (new URL(context.req.url).search === '') return next()
  return refusals.invalid('This path takes no query parameters. What a run takes is sent in the body.')
}
