import ipaddr from 'ipaddr.js'

/**
 * Where a URL leads:
 * - `loopback`: to the machine itself
 * - `private`: to a network that is not the internet (RFC 1918, link-local, metadata services of clouds and the like)
 * - `public`: to the internet
 * - `name`: to whatever the name resolves to
 */
export type TargetKind = 'loopback' | 'private' | 'public' | 'name'

/** The kind of a URL's host. URLs are normal by then: `http://0x7f.1` has the host `127.0.0.1`. */
export function targetKind(url: string): TargetKind {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback'
  return ipaddr.isValid(host) ? addressKind(host) : 'name'
}

export function addressKind(address: string): Exclude<TargetKind, 'name'> {
  // An IPv4 address in the clothes of an IPv6 one is what it is.
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (range === 'loopback') return 'loopback'
  return range === 'unicast' && !isIpv4Compatible(parsed) ? 'public' : 'private'
}

/** `::127.0.0.1`: another form of IPv4 addresses (RFC 4291, section 2.5.5.1), which nothing public has any more. */
function isIpv4Compatible(address: ReturnType<typeof ipaddr.parse>): boolean {
  return (
    address.kind() === 'ipv6' &&
    address
      .toByteArray()
      .slice(0, 12)
      .every((byte) => byte === 0)
  )
}

/** The ports that `fetch` does not call (Fetch standard, "bad port"): they belong to other protocols. */
const BLOCKED_PORTS: ReadonlySet<number> = /* @__PURE__ */ new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/** Whether `fetch` would reject the URL for its port. */
export function hasBlockedPort(url: string): boolean {
  const { port } = new URL(url)
  return port !== '' && BLOCKED_PORTS.has(Number(port))
}
