import type { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import { nodeBuiltin } from '@modelrun/kit'
import type { FetchLike } from './fetch.ts'
import { chainOfCauses, isSteering, isUnsent } from './network-failure.ts'

/**
 * The one place that decides whether a request was not sent. A `fetch` or `ky` of the caller proves nothing: it may have sent
 * the request in a way that no report is about, before it failed. The `fetch` of the process is watched, also when a framework has put a
 * function around it, or there is a dispatcher. Such a function must call it at once.
 */
export function watchUnsent(caller: { fetch: FetchLike | undefined; ky?: unknown }, url: string) {
  const fetch = caller.fetch ?? globalThis.fetch
  const canProve = isOfProcess(fetch) && caller.ky === undefined
  const isAround = canProve && !isPlain(fetch)
  storage ??= startWatching()
  const { pathname, search } = new URL(url)
  const traffic: Traffic = {
    path: `${pathname}${search}`,
    sentCount: 0,
    isLate: false,
    hasCompany: false,
    departed: new Set(),
    streamCount: 0,
    failures: new Set(),
  }
  return {
    /** Calls `fetch`. What that starts, at once or later, belongs to this attempt. */
    run: async <T>(send: () => Promise<T>): Promise<T> => {
      underWay.add(traffic)
      if (storage && isAround) noteLate(traffic, ROUNDS)
      try {
        return await (storage ? storage.run(traffic, send) : send())
      } finally {
        underWay.delete(traffic)
      }
    },
    /** True when it is proven that the request did not leave this machine. `error`: of `fetch` */
    isUnsent: (error: unknown): boolean => {
      if (!canProve || traffic.departed.size > 0) return false
      // A function around it may have tried another way first, or beside it, in a context of its own.
      if (isAround && traffic.hasCompany) return false
      if (storage && isSteering(error)) return true
      if (isAround && traffic.isLate) return false
      const chain = chainOfCauses(error)
      return chain.some((cause) => traffic.failures.has(cause)) || (isPlatformFetch(fetch) && isUnsent(chain, url))
    },
    /** How often the request may have been sent. More than once: a response is that of one of them. */
    sendCount: () => traffic.sentCount + (isAround || !canProve ? countOtherWays(traffic) : 0),
  }
}

/** Undici makes a request within some of them. */
const ROUNDS = 100

/** Without a turn of the event loop, in which another way could have sent something. */
function noteLate(traffic: Traffic, rounds: number): void {
  traffic.isLate = traffic.departed.size + traffic.failures.size === 0
  if (!traffic.isLate || rounds === 0) return
  process.nextTick(() => queueMicrotask(() => noteLate(traffic, rounds - 1)))
}

/** True for a `fetch` that is not code of the caller. */
function isOfProcess(fetch: FetchLike): boolean {
  return fetch === globalThis.fetch || isPlain(fetch)
}

/** True for a `fetch` without a function around it. */
function isPlain(fetch: FetchLike): boolean {
  return isPlatformFetch(fetch) || REPORTS_LIKE_UNDICI in fetch
}

/** Marks the `fetch` of the reference server, whose failures to connect are reported as those of undici are. */
const REPORTS_LIKE_UNDICI = Symbol.for('modelrun.reports_like_undici')

/** The sources of the `fetch` of Node and Deno, without a function around it. */
const PLATFORM_FETCH = /internal.deps.undici|^function fetch\(.*\blazyFetch\(\)/

function isPlatformFetch(fetch: FetchLike): boolean {
  return typeof fetch === 'function' && PLATFORM_FETCH.test(Function.prototype.toString.call(fetch))
}

/** What happened in the async context of one attempt. */
interface Traffic {
  /** Of the request. */
  path: string
  /** How many requests to that path were written, to whatever host, that may be this one. */
  sentCount: number
  /** True when no request was made in the turn of the call. */
  isLate: boolean
  /** True when other parts of the process sent something meanwhile that may have carried it. */
  hasCompany: boolean
  /** Requests and connections that were made, to whatever place, without those of undici that failed before there was a connection. */
  departed: Set<object>
  /** Of HTTP/2, each on a socket that departed too. */
  streamCount: number
  /** The errors of requests and connections that did not depart. */
  failures: Set<unknown>
}

/** What departed and is a request whose path is known, or carries only such. */
const seen = new WeakSet<object>()

/** The ways by which the request may have left unseen: sockets, children and workers. */
function countOtherWays({ departed, streamCount }: Traffic): number {
  return Math.max(0, [...departed].filter((way) => !seen.has(way)).length - streamCount)
}

/** One for the process, because the channels are: listeners of each client would stay when the client is gone. */
let storage: AsyncLocalStorage<Traffic> | undefined
/** The attempts that have no response yet. */
const underWay = new Set<Traffic>()

/** Reports of Node, and of undici, which is the HTTP client under Node's `fetch`. They are part of their documentation. */
interface Report {
  request: { method: string; path: string; socket?: object }
  socket: Socket
  error: object
  headers: Record<string, unknown>
}

/** Reports of ways whose requests are not known. A connection from before the attempt, for instance the port of a worker, reports nothing. */
const OTHER_WAYS = ['udp.socket', 'child_process', 'worker_threads']

/** Counts a request that is written. `own`: the attempt in whose context it was made. */
function countSent({ path }: Pick<Report['request'], 'path'>, own: Traffic | undefined): void {
  const isFirst = own?.sentCount === 0 && underWay.has(own) && path.endsWith(own.path)
  if (isFirst) own.sentCount = 1
  // A dispatcher sends a request again in the context of a connection, so it may be that of any attempt.
  else for (const traffic of underWay) if (path.endsWith(traffic.path)) traffic.sentCount++
}

/** @returns Undefined where the runtime has no async contexts */
function startWatching(): AsyncLocalStorage<Traffic> | undefined {
  const channels = nodeBuiltin('node:diagnostics_channel')
  const hooks = nodeBuiltin('node:async_hooks')
  if (!channels || !hooks) return undefined
  const contexts = new hooks.AsyncLocalStorage<Traffic>()
  /** A connection may be made, and a request written, in the context of another one. */
  const trafficOf = new WeakMap<object, Traffic>()
  const unconnected = new WeakSet<object>()
  const on = (channel: string, listener: (report: Report) => void) =>
    channels.subscribe(channel, (report) => listener(report as Report))
  const depart = (departed: object) => {
    const traffic = contexts.getStore()
    traffic?.departed.add(departed)
    if (traffic) trafficOf.set(departed, traffic)
  }
  const departRequest = (request: Report['request']) => {
    const traffic = contexts.getStore()
    const isOfAttempt = traffic !== undefined && underWay.has(traffic)
    if (!isOfAttempt && request.method !== 'GET') for (const other of underWay) other.hasCompany = true
    seen.add(request)
    depart(request)
  }
  const comeBack = (departed: object) => trafficOf.get(departed)?.departed.delete(departed)
  /** The request of undici that becomes a stream of HTTP/2 next. */
  let becomesStream: object | undefined

  // A CONNECT asks a proxy for a tunnel, and holds nothing of the request.
  on('undici:request:create', ({ request }) => void (request.method !== 'CONNECT' && departRequest(request)))
  on('undici:client:connectError', ({ error }) => {
    unconnected.add(error)
    contexts.getStore()?.failures.add(error)
  })
  on('undici:request:error', ({ request, error }) => {
    if (!unconnected.has(error)) return
    trafficOf.get(request)?.failures.add(error)
    comeBack(request)
  })
  on('undici:client:sendHeaders', ({ request, socket }) => {
    becomesStream = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2' ? request : undefined
    countSent(request, trafficOf.get(request))
    // Undici may queue a request again that it has written: an error that comes then does not undo that.
    trafficOf.delete(request)
  })
  on('http.client.request.start', ({ request }) => {
    if (request.socket) seen.add(request.socket)
    countSent(request, contexts.getStore())
    departRequest(request)
  })
  on('net.client.socket', ({ socket }) => {
    // A handshake of TLS that fails has carried nothing.
    const connected = 'encrypted' in socket ? 'secureConnect' : 'connect'
    if (contexts.getStore()) socket.once(connected, () => depart(socket))
  })
  // Its requests are known one by one.
  on('undici:client:connected', ({ socket }) => void comeBack(socket))
  on('http2.client.stream.created', (stream) => {
    const traffic = contexts.getStore()
    const isOfUndici = becomesStream !== undefined
    becomesStream = undefined
    seen.add(stream)
    depart(stream)
    if (isOfUndici || traffic === undefined) return
    traffic.streamCount++
    countSent({ path: String(stream.headers[':path']) }, traffic)
  })
  for (const way of OTHER_WAYS) on(way, depart)
  return contexts
}
