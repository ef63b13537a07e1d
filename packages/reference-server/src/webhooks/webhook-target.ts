import ipaddr from 'ipaddr.js'

/**
 * Where an address leads, as far as it tells:
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

/** The kind of an IP address. */
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
