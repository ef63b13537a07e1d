/** The attempt that a middleware wraps. */
export interface MiddlewareContext {
  /** HTTP method. */
  method: string
  /** Path of the request, without query. */
  path: string
  /** 1 for the first attempt of a call. */
  attempt: number
}

/**
 * Wraps each HTTP attempt: read or change the request, call `next`, read or change the response. The request holds the API
 * key. An error of the middleware counts as a failed connection; before `next` is called, as a request that was not sent.
 * A middleware does not change redirects and caches, and the options in `fetchOptions` go to `fetch` directly.
 */
export type Middleware = (
  request: Request,
  next: (request: Request) => Promise<Response>,
  context: MiddlewareContext,
) => Promise<Response>

/** Makes one function of the middlewares. The first one is outermost. */
export function composeMiddleware(
  middlewares: readonly Middleware[],
  context: MiddlewareContext,
  send: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return middlewares.reduceRight<(request: Request) => Promise<Response>>(
    (next, middleware) => async (request) => await middleware(request, next, context),
    send,
  )
}
