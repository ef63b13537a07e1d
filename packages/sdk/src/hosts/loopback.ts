/** True for a host, as `URL` writes it, that is this machine: `localhost` and below, 127.0.0.0/8, `[::1]`. */
export function isLoopback(hostname: string): boolean {
  return /(^|\.)localhost$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(hostname)
}
