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
export function isNumeric(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}

/** True for a name, as `URL` writes it, that certainly does not mean a machine of a private network by itself. */
export function isPublicName(hostname: string): boolean {
  const name = withoutDot(hostname)
  return ![PRIVATE_NAME, NUMBER_ZONE, PRIVATE_NUMBER].some((pattern) => pattern.test(name))
}

/** `example.com.` is the same name. */
export function withoutDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}
