import { ConfigurationError, isLoopback, toUrl } from '@modelrun/kit'

export interface HostRule {
  hostname: string
  /** As written; undefined for every port. */
  port: string | undefined
  /** True for the names below, not the name itself. */
  isSuffix: boolean
}

export interface UrlRules {
  /** The only hosts; undefined: every public name. */
  hosts: readonly HostRule[] | undefined
  /** Lets the url be plain http at any of them. Default: only at this machine, if it is listed. */
  allowHttp?: boolean | undefined
}

/** Why a url should not be fetched; undefined when it may. The text does not have the url. */
export function findUrlProblem(url: URL, { hosts, allowHttp = false }: UrlRules): string | undefined {
  const isListed = hosts?.some((rule) => matches(rule, url)) ?? false
  const isHttpAllowed = url.protocol === 'http:' && (allowHttp || (isListed && isLoopback(url.hostname)))
  if (url.protocol !== 'https:' && !isHttpAllowed) return 'it is not https'
  if (url.username !== '' || url.password !== '') return 'it holds a user or a password'
  if (hosts !== undefined) return isListed ? undefined : 'its host is none of the allowed ones'
  if (isNumeric(url.hostname)) return 'its host is a number instead of a name'
  return isPublicName(url.hostname) ? undefined : 'its host is a name within a private network'
}

/** @throws ConfigurationError for what is not a list of hosts */
export function readHostRules(hosts: readonly string[]): HostRule[] {
  if (Array.isArray(hosts) && hosts.every((host) => typeof host === 'string')) return hosts.map(readHostRule)
  throw new ConfigurationError({ message: "`allowedHosts` must be a list of hosts, like ['*.example.com']." })
}

function matches({ hostname, port, isSuffix }: HostRule, url: URL): boolean {
  const portOfUrl = url.port || (url.protocol === 'https:' ? '443' : '80')
  if (port !== undefined && port !== portOfUrl) return false
  const host = withoutDot(url.hostname)
  return isSuffix ? host.endsWith(`.${hostname}`) : host === hostname
}

function readHostRule(entry: string): HostRule {
  const isSuffix = entry.startsWith('*.')
  const host = isSuffix ? entry.slice(2) : entry
  const candidate = `https://${host}`
  // A path, a query, a user or a second star is not part of a host.
  const url = toUrl(candidate)
  if (host === '' || /[/?#@*\\\s]/.test(host) || url === undefined) throw notAHost(entry)
  const { hostname } = url
  if (isSuffix && isNumeric(hostname)) throw notAHost(entry)
  const [, port] = /:(\d+)$/.exec(host.replace(/^\[.*\]/, '')) ?? []
  return { hostname: withoutDot(hostname), port: port === undefined ? undefined : String(Number(port)), isSuffix }
}

function notAHost(entry: string): ConfigurationError {
  return new ConfigurationError({
    message:
      `The allowed host ${JSON.stringify(entry)} is none: give a name such as "files.example.com", ` +
      '"*.example.com" for every name below it, or one with its port such as "localhost:4010".',
  })
}

/**
 * Names that mean something else in each network: without a dot, and of zones that are reserved for private networks, for
 * tests, or for what is not DNS; `svc` is that of Kubernetes.
 */
const PRIVATE_NAME =
  /^[^.]*$|\.(alt|arpa|consul|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|mail|onion|private|svc|test)$/

/** Names of these zones point to whatever number they hold, or to this machine. */
const NUMBER_ZONE = /(^|\.)(nip\.io|sslip\.io|xip\.io|traefik\.me|localtest\.me|lvh\.me)$/

/**
 * A name that holds a number of this machine or of a private network (RFC 6890), as `10-0-0-1.example.com` does: a DNS
 * zone that resolves to that number is easily made.
 */
const PRIVATE_NUMBER =
  /(^|\D)(0[.-]0[.-]0[.-]0|(10|127)([.-]\d{1,3}){3}|(169[.-]254|172[.-](1[6-9]|2\d|3[01])|192[.-]168|100[.-](6[4-9]|[7-9]\d|1[01]\d|12[0-7]))([.-]\d{1,3}){2})(\D|$)/

/** `URL` has written every form of a number (decimal, octal, hexadecimal, short) as one of these two. */
function isNumeric(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}

/** True for a name, as `URL` writes it, that certainly does not mean a machine of a private network by itself. */
function isPublicName(hostname: string): boolean {
  const name = withoutDot(hostname)
  return ![PRIVATE_NAME, NUMBER_ZONE, PRIVATE_NUMBER].some((pattern) => pattern.test(name))
}

/** `example.com.` is the same name. */
function withoutDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}
