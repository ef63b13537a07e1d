import { ConfigurationError } from '../errors/local-errors.ts'

/** The members that the client sets itself, and what to use instead. */
const OWNED = {
  method: 'each method of the client has its own',
  headers: 'use the option `headers`',
  body: 'the client makes it of the arguments of the call',
  signal: 'use the option `signal` of the call',
  redirect: 'redirects of calls are not followed, so that the API key stays with `baseUrl`',
  cache: 'responses are never taken from a cache, so that the status of a job is not an old one',
  duplex: 'no body is a stream',
  window: 'it has no effect',
} as const

/** A member that the client sets itself is an error, which says what to use instead. */
type OwnedByClient = { [Member in keyof typeof OWNED]?: undefined }

/**
 * Members that `fetch` gets with each request, besides those that the client sets itself. The named ones are known to
 * work; any other one is passed to `fetch` unchanged.
 */
export interface FetchOptions extends OwnedByClient {
  /** Node: an undici `ProxyAgent`, `Agent`, … that suits the version of `fetch`. */
  dispatcher?: unknown
  /** Bun: the url of a proxy, or `{ url, headers }`. */
  proxy?: unknown
  /** Bun: `ca`, `cert`, `key`, … */
  tls?: unknown
  /** Deno: what `Deno.createHttpClient` gives. */
  client?: unknown
  /** node-fetch: an agent of `node:http` or `node:https`, or a function that gives one. */
  agent?: unknown
  /** Next.js: `tags` and so on. */
  next?: unknown
  /** Cloudflare Workers. */
  cf?: unknown
  /** Browsers: the request outlives the page. */
  keepalive?: boolean | undefined
  /** Browsers: whether cookies are sent. Not for downloads, whose files are elsewhere. */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined
  /** Browsers. Not for downloads, whose files are elsewhere. */
  mode?: 'cors' | 'same-origin' | 'no-cors' | undefined
  /** Browsers. */
  priority?: 'high' | 'low' | 'auto' | undefined
  /** Browsers. */
  referrerPolicy?: string | undefined
  [member: string]: unknown
}

/** {@link FetchOptions}, checked, without members that are undefined. */
export type ResolvedFetchOptions = Readonly<Record<string, unknown>>

/** @throws ConfigurationError */
export function readFetchOptions(options: FetchOptions | undefined): ResolvedFetchOptions {
  if (options === undefined) return {}
  if (!isPlainObject(options)) {
    throw new ConfigurationError({ message: 'The option `fetchOptions` must be a plain object, like { dispatcher }.' })
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  for (const [member] of given) {
    if (!Object.hasOwn(OWNED, member)) continue
    // `hasOwn` has proved it.
    const instead = OWNED[member as keyof typeof OWNED]
    throw new ConfigurationError({ message: `The option \`fetchOptions\` must not have \`${member}\`: ${instead}.` })
  }
  return Object.fromEntries(given)
}

/** The options for a file, which may be on any host: `credentials` and `mode` of the client are for the service only. */
export function fileFetchOptions(
  client: ResolvedFetchOptions,
  options: FetchOptions | undefined,
): ResolvedFetchOptions {
  const { credentials: _, mode: __, ...ours } = client
  return { ...ours, ...readFetchOptions(options) }
}

/** In any realm. An agent that is passed as it is must not be taken for options: the requests would go past the proxy. */
function isPlainObject(value: unknown): boolean {
  if (value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
