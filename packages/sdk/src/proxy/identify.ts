import type { PageRequest } from './page-request.ts'
import type { ProxyIdentity } from './proxy-options.ts'
import { rejection, unavailable } from './reply.ts'
import { isCredits, type ResolvedProxyOptions } from './resolve-proxy-options.ts'

/** The user of a request, or the response to a request without a user. A failure of `authorize` rejects the request. */
export async function identify(options: ResolvedProxyOptions, request: PageRequest): Promise<ProxyIdentity | Response> {
  const { method, url, raw } = request
  try {
    const identity = await options.authorize(request.toRequest(), { raw })
    if (!identity || identity.user === undefined || identity.user === null || identity.user === '') {
      return rejection(401, ['UNAUTHORIZED', 'Sign in first.'])
    }
    return checkIdentity(identity, options)
  } catch (error) {
    options.onError(error, { method, path: url.pathname })
    return unavailable('It cannot be found out now who you are.')
  }
}

function checkIdentity({ user, credits }: ProxyIdentity, { budget }: ResolvedProxyOptions): ProxyIdentity {
  if (typeof user !== 'string')
    throw new TypeError('`authorize` must give `user` as a text, such as the id of an account.')
  if (credits === undefined) return { user }
  if (!isCredits(credits)) throw new TypeError('`authorize` must give `credits` as a number, 0 or more.')
  if (budget === undefined) throw new TypeError('`authorize` gives `credits`, and the proxy has no `budget`.')
  return { user, credits }
}
