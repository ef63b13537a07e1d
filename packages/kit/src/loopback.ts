import { toUrl } from './values.ts'

/** True for a URL by which everybody on the way can read what is sent: http, to another machine. */
export function isPlainHttp(url: string): boolean {
  const { protocol, hostname = '' } = toUrl(url) ?? {}
  return protocol === 'http:' && !isLoopback(hostname)
}

/**
 * True for a host that is this machine: `localhost` and the names below it, 127.0.0.0/8, `::1`, also in the brackets that a
 * `URL` writes. A name that only starts with 127, such as `127.example.com`, is a name like any other.
 */
export function isLoopback(host: string): boolean {
  return /(^|\.)localhost$|^127(\.\d+){1,3}$|^(::1|\[::1\])$/.test(host)
}
