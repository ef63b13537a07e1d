import { memberOf } from '@modelrun/kit'
import { nodeBuiltin } from '../../shared/node-builtin.ts'
import type { FetchLike, ResolvedFetchOptions } from './fetch.ts'
import { chainOfCauses, isUnsent } from './network-failure.ts'

/** What undici reports about a connection that it could not make. `hostname` has no brackets, `port` may be empty. */
interface ConnectFailure {
  connectParams: { protocol: string; hostname: string; port: string }
  error: object
}

/** What undici and `node:http` report just before they write a request. */
interface SentRequest {
  request: { path: string }
}

/** One attempt, from just before `fetch` is called. */
interface SendWatch {
  /** True when an error of `fetch` proves that the request did not leave this machine. */
  isUnsent(error: unknown): boolean
  end(): void
}

/** Called right before `fetch` is. */
type WatchUnsent = (fetch: FetchLike, url: string, fetchOptions: ResolvedFetchOptions) => SendWatch

/** `ownFetch`: the option of the caller, whose errors prove nothing by themselves. */
export function createUnsentWatch(ownFetch: FetchLike | undefined): WatchUnsent {
  connections ??= watchConnections()
  const { hasNoConnection, countSent } = connections
  return (fetch, url, { dispatcher }) => {
    const isNodes = isNodeFetch(fetch)
    // Another `fetch`, and some dispatchers, may send the request once, and fail when they send it again.
    const sent = isNodes && dispatcher === undefined && sendsOnce() ? undefined : countSent(url)
    // A function around Node's global `fetch` can be recognized, one around that of Bun or Deno cannot.
    const isOwn = isNodes || (ownFetch === undefined && ('Bun' in globalThis || 'Deno' in globalThis))
    return {
      isUnsent: (error) => {
        const chain = chainOfCauses(error)
        const isFirst = sent === undefined || sent.count() === 0
        return isFirst && (hasNoConnection(chain, url) || (isOwn && isUnsent(chain, url)))
      },
      end: () => sent?.end(),
    }
  }
}

/** True for Node's own `fetch`, without a function around it. */
function isNodeFetch(fetch: FetchLike): boolean {
  return typeof fetch === 'function' && /internal.deps.undici/.test(Function.prototype.toString.call(fetch))
}

/** False when a program has set a dispatcher for all of Node's `fetch`: one that retries sends a POST again by itself. */
function sendsOnce(): boolean {
  const dispatcher: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
  // Node makes its own at the first request.
  if (typeof dispatcher !== 'object' || dispatcher === null) return true
  const { prototype, name } = dispatcher.constructor
  // An interceptor replaces `dispatch`.
  const isWhole = memberOf(dispatcher, 'dispatch') === memberOf(prototype, 'dispatch')
  return isWhole && ['Agent', 'EnvHttpProxyAgent'].includes(name)
}

/**
 * What undici, the HTTP client under Node's `fetch`, reports: the host and the port of each connection that it could not make,
 * and each request that it writes. The code of an error names nothing: a function around `fetch` may have sent the request, and
 * then failed to reach something else.
 */
interface Connections {
  /** True when an error, or a cause of it, is that of a connection to the host and port of a url. */
  hasNoConnection(chain: readonly unknown[], url: string): boolean
  /** Counts the requests to the path of a url that are written until `end`. */
  countSent(url: string): { count(): number; end(): void }
}

/** One for the process, because the channels are: listeners of each client would stay when the client is gone. */
let connections: Connections | undefined

/** Costs nothing until a connection fails, or `countSent` is used. */
function watchConnections(): Connections {
  const channels = nodeBuiltin('node:diagnostics_channel')
  const failures = new WeakMap<object, string[]>()
  /** By path: how many requests were written while any attempt to it was under way. */
  const paths = new Map<string, { sent: number; attempts: number }>()
  let isCounting = false
  channels?.subscribe('undici:client:connectError', (message) => {
    // The interface is part of undici's documentation. A tunnel through a proxy fails for the proxy, then for the service.
    const { connectParams, error } = message as ConnectFailure
    failures.set(error, [...(failures.get(error) ?? []), originOf(connectParams)])
  })
  const startCounting = () => {
    isCounting = true
    for (const channel of ['undici:client:sendHeaders', 'http.client.request.start']) {
      channels?.subscribe(channel, (message) => {
        const counted = paths.get((message as SentRequest).request.path)
        if (counted) counted.sent++
      })
    }
  }
  return {
    hasNoConnection: (chain, url) => {
      const { protocol, hostname, port } = new URL(url)
      const origin = originOf({ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port })
      return chain.some((error) => failures.get(error as object)?.includes(origin))
    },
    countSent: (url) => {
      if (!isCounting) startCounting()
      const { pathname, search } = new URL(url)
      const path = `${pathname}${search}`
      const counted = paths.get(path) ?? { sent: 0, attempts: 0 }
      paths.set(path, counted)
      counted.attempts++
      const before = counted.sent
      return {
        count: () => counted.sent - before,
        end: () => {
          if (--counted.attempts === 0) paths.delete(path)
        },
      }
    },
  }
}

function originOf({ protocol, hostname, port }: ConnectFailure['connectParams']): string {
  return `${protocol}//${hostname}:${port}`
}
