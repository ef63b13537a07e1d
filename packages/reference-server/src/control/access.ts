import { createIpAllowlist } from '../domain/ip-allowlist.ts'
import type { RequestEnv } from '../http/app-env.ts'
import type { IncomingRequest } from '../http/messages.ts'
import type { Service } from '../service/service.ts'

/** The header that lets clients on other machines use the control API. */
export const TOKEN_HEADER = 'x-reference-token'

/** Headers that proxies and tunnels add, when they forward what came from elsewhere. */
const FORWARDING_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

type Caller = Pick<RequestEnv, 'ip' | 'isOverSocket'>

/**
 * Creates the check of which clients may use the control API: clients with the token, and programs on this machine. A
 * request over a socket comes from this machine when the client has a loopback IP address, `Host` is a loopback name or the
 * host of the base URL, and no header says that it was forwarded. The IP address of the client alone is not enough: a page
 * whose host name an attacker points to 127.0.0.1 (DNS rebinding), a reverse proxy and a tunnel have a loopback address too.
 */
export function createControlAccess(service: Pick<Service, 'baseUrl'>, token: string) {
  const isLoopback = createIpAllowlist(['127.0.0.0/8', '::1'])

  function isLocalName(hostname: string): boolean {
    const address = hostname.replace(/^\[|\]$/g, '')
    return hostname === 'localhost' || isLoopback(address) || hostname === new URL(service.baseUrl).hostname
  }

  function isOfThisMachine({ url, headers }: IncomingRequest): boolean {
    if (FORWARDING_HEADERS.some((name) => headers.has(name))) return false
    const host = hostnameOf(headers.get('host') ?? '')
    // An absolute request target names a host of its own.
    return isLocalName(new URL(url).hostname) && (host === undefined || isLocalName(host))
  }

  return (request: IncomingRequest, { ip, isOverSocket }: Caller): boolean => {
    if (request.headers.get(TOKEN_HEADER) === token) return true
    return isLoopback(ip) && (!isOverSocket || isOfThisMachine(request))
  }
}

/** The name of a `Host` header as URLs have it; `undefined` for a missing one. */
function hostnameOf(host: string): string | undefined {
  if (host === '') return undefined
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host
}
