import ipaddr from 'ipaddr.js'
import * as z from 'zod/mini'

type Address = ReturnType<typeof ipaddr.parse>
type Network = [Address, number]

const MAPPED_PREFIX_BITS = 96

const isEntry = (entry: string) => parseEntry(entry) !== undefined

export const allowlistSchema = /* @__PURE__ */ (() =>
  z.readonly(z.array(z.string().check(z.refine(isEntry, 'neither an IP address nor a network such as 10.0.0.0/8')))))()

/**
 * Makes the test of an API key's IP allowlist (section 5).
 *
 * An entry is an IPv4 or IPv6 address or a network in CIDR notation. An IPv4-mapped IPv6 address (`::ffff:1.2.3.4`,
 * what a dual-stack socket reports) counts as its IPv4 address, in entries and in clients. An empty list allows no client.
 *
 * @returns a function that checks a client's IP address; `false` for what is not an IP address
 */
export function createIpAllowlist(entries: readonly string[]): (ip: string) => boolean {
  const networks = entries.map(parseEntry).filter((network) => network !== undefined)
  return (ip) => {
    const client = parseAddress(ip)
    return (
      client !== undefined && networks.some(([base, bits]) => base.kind() === client.kind() && client.match(base, bits))
    )
  }
}

function parseEntry(entry: string): Network | undefined {
  return entry.includes('/') ? parseNetwork(entry) : parseHost(entry)
}

function parseHost(text: string): Network | undefined {
  const address = parseAddress(text)
  return address && [address, address.kind() === 'ipv4' ? 32 : 128]
}

function parseNetwork(text: string): Network | undefined {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return ipaddr.IPv4.parseCIDR(text)
  if (!ipaddr.IPv6.isValidCIDR(text)) return undefined
  const [base, bits] = ipaddr.IPv6.parseCIDR(text)
  const isMapped = base.isIPv4MappedAddress() && bits >= MAPPED_PREFIX_BITS
  return isMapped ? [base.toIPv4Address(), bits - MAPPED_PREFIX_BITS] : [base, bits]
}

// The library's loose forms (`10.1`, `010.0.0.1`, `0x7f000001`) are rejected: their meaning depends on the
// reader, so they must not allow a client.
function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined
}
