import { nodeBuiltin } from '../../shared/node-builtin.ts'

/** What undici reports about a connection that it could not make. `hostname` has no brackets, `port` may be empty. */
interface ConnectFailure {
  connectParams: { protocol: string; hostname: string; port: string }
  error: object
}

/** What undici reports just before it writes a request. */
interface SentHeaders {
  request: { method: string; path: string }
}

/**
 * Knows which requests did not leave this machine, from undici, the HTTP client under Node's `fetch`: it names the host and the
 * port of each connection that it could not make, and each request that it writes. The code of an error names nothing: a
 * function around `fetch` may have sent the request, and then failed to reach something else.
 */
export interface ConnectionWatch {
  /** True when an error, or a cause of it, is that of a connection to the host and port of a url. */
  hasNoConnection(chain: readonly unknown[], url: string): boolean
  /** The number of POSTs to the path of a url that undici has written since the first call. */
  countSent(url: string): number
}

/** One for the process, because the channels are: listeners of each client would stay when the client is gone. */
let watch: ConnectionWatch | undefined

/** The watch of this process. Costs nothing until a connection fails, or `countSent` is used. */
export function watchConnections(): ConnectionWatch {
  watch ??= createWatch()
  return watch
}

function createWatch(): ConnectionWatch {
  const channels = nodeBuiltin('node:diagnostics_channel')
  const failures = new WeakMap<object, string[]>()
  let sent: Map<string, number> | undefined
  channels?.subscribe('undici:client:connectError', (message) => {
    // The interface is part of undici's documentation. A tunnel through a proxy fails for the proxy, then for the service.
    const { connectParams, error } = message as ConnectFailure
    failures.set(error, [...(failures.get(error) ?? []), originOf(connectParams)])
  })
  return {
    hasNoConnection: (chain, url) => {
      const { protocol, hostname, port } = new URL(url)
      const origin = originOf({ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port })
      return chain.some((error) => failures.get(error as object)?.includes(origin))
    },
    countSent: (url) => {
      if (channels === undefined) return 0
      if (sent === undefined) {
        const counts = new Map<string, number>()
        sent = counts
        channels.subscribe('undici:client:sendHeaders', (message) => {
          const { method, path } = (message as SentHeaders).request
          if (method === 'POST') counts.set(path, (counts.get(path) ?? 0) + 1)
        })
      }
      const { pathname, search } = new URL(url)
      return sent.get(`${pathname}${search}`) ?? 0
    },
  }
}

function originOf({ protocol, hostname, port }: ConnectFailure['connectParams']): string {
  return `${protocol}//${hostname}:${port}`
}
