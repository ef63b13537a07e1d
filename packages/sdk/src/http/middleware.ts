/** What a middleware knows of the attempt. */
export interface MiddlewareContext {
  /** HTTP method. */
  method: string
  /** Path of the request, without query. */
  path: string
  /** 1 for the first attempt of a call. */
  attempt: number
}

/**
 * Wraps each HTTP attempt: look at or change the request, call `next`, look at or change the answer. The request holds
 * the API key. What it throws counts as a failed connection; before `next` is called, as one that was not sent. Redirects
 * and caches stay the client's, and the options in `fetchOptions` go to `fetch` past it.
 */
export type Middleware = (
  request: Request,
  next: (request: Request) => Promise<Response>,
  context: MiddlewareContext,
) => Promise<Response>

/** Builds one function out of middlewares, the first one outermost. */
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
