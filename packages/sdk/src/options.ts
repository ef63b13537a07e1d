import { API_VERSION } from '@modelrun/contract'
import type { KyInstance } from 'ky'
import { type Clock, systemClock } from './clock.ts'
import { ConfigurationError } from './errors/local-errors.ts'
import type { FetchLike } from './http/fetch-like.ts'
import { type FetchOptions, type ResolvedFetchOptions, readFetchOptions } from './http/fetch-options.ts'
import type { Middleware } from './http/middleware.ts'
import { type HeadersOption, readHeaders } from './http/request-headers.ts'
import type { PollContext } from './jobs/polling/cadence.ts'
import { createLog, type Log, type Logger, type LogLevel } from './observe/logger.ts'
import type { Tracer } from './observe/tracer.ts'
import { absoluteUrl, isBrowser, isKeyless, keyOfPage } from './page.ts'

/** The API key, or a function that returns it; the function is called for each attempt, so that keys can rotate. */
export type ApiKey = string | (() => string | Promise<string>)

/** How jobs are polled: by one scheduler for all waits of a client. */
export interface PollingOptions {
  /** Shortest wait between two looks at a job of unknown duration, in milliseconds. Default 500. */
  initialIntervalMs?: number | undefined
  /** Longest wait between two looks at a job that may end at any moment, in milliseconds. Default 5 000. */
  maxIntervalMs?: number | undefined
  /** Looks at jobs in any second, over all waits of the client. Default 10; `Infinity` for no limit. */
  maxRequestsPerSecond?: number | undefined
  /**
   * A cadence of your own: milliseconds until the next look at a job. `context.defaultDelayMs` is what the client would
   * do; `Infinity` stops the looks at this job. A delay jitters by up to a tenth.
   */
  nextDelayMs?: ((context: PollContext & { defaultDelayMs: number }) => number) | undefined
}

/** Options of {@link ModelRun}. */
export interface ModelRunOptions {
  /** Default: the environment variable `MODELRUN_API_KEY`. A page that uses a proxy (`modelrun/proxy`) has none. */
  apiKey?: ApiKey | undefined
  /**
   * Address of the service; the paths `/v1/…` are below it. Default: the environment variable `MODELRUN_BASE_URL`. In a
   * page also a path like `/api/modelrun`, where the server of the page has a proxy.
   */
  baseUrl?: string | undefined
  /**
   * Time limit of one HTTP request, headers and body, in milliseconds. Default 30 000. A synchronous run gets the 55 s
   * for which the service holds it (section 8) on top.
   */
  timeoutMs?: number | undefined
  /** How often a request is sent again at most, where that cannot charge twice. Default 2. */
  maxRetries?: number | undefined
  /** Used instead of the global `fetch`, for calls and downloads. It gets a url and an object, never a `Request`. */
  fetch?: FetchLike | undefined
  /**
   * Handed to `fetch` with every request of calls and downloads: an undici `dispatcher`, Bun's `proxy` and `tls`, Deno's
   * `client`, … `credentials` and `mode` are for calls alone, because the files are elsewhere.
   */
  fetchOptions?: FetchOptions | undefined
  /**
   * A ky instance to send with: its headers, search parameters, `fetch`, options of frameworks and hooks apply. Time
   * limits, retries and what a status means stay the client's. No hook sees the API key; what `afterResponse` returns is
   * not used when the service gave a result, and `ky.retry()` is ignored, for a run could be paid twice. Downloads have its hooks alone.
   */
  ky?: KyInstance | undefined
  /**
   * Sent with every request to the service, not with downloads. `authorization`, `accept` and `content-type` stay the
   * client's: the first one is the API key.
   */
  headers?: HeadersOption | undefined
  polling?: PollingOptions | undefined
  /** Wraps each HTTP attempt; the first one is outermost. */
  middleware?: readonly Middleware[] | undefined
  /** Where log lines go. Default `console`. */
  logger?: Logger | undefined
  /** Default: the environment variable `MODELRUN_LOG`, else `warn`. */
  logLevel?: LogLevel | undefined
  /** Gets a span for each run, submission and wait; an OpenTelemetry tracer fits. */
  tracer?: Tracer | undefined
  /** Where time comes from. Default: the system. */
  clock?: Clock | undefined
  /** Where the jitter of delays comes from: a number from 0 up to 1. Default `Math.random`. */
  random?: (() => number) | undefined
  /** Allows a page of a browser, or its worker, to hold the API key, which shows it to every visitor. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined
}

/** The options with every field named, checked and present. */
export interface ResolvedOptions {
  /** Undefined: no key is sent, for a proxy adds it. */
  apiKey: (() => Promise<string>) | undefined
  /** Without a slash at its end. */
  baseUrl: string
  timeoutMs: number
  maxRetries: number
  /** Undefined: the global one, looked up at each call. */
  fetch: FetchLike | undefined
  fetchOptions: ResolvedFetchOptions
  ky: KyInstance | undefined
  headers: Headers
  polling: ResolvedPolling
  middleware: readonly Middleware[]
  log: Log
  tracer: Tracer | undefined
  clock: Clock
  random: () => number
}

/** {@link PollingOptions}, resolved. */
interface ResolvedPolling {
  initialIntervalMs: number
  maxIntervalMs: number
  maxRequestsPerSecond: number
  nextDelayMs: PollingOptions['nextDelayMs']
}

export function resolveOptions(options: ModelRunOptions): ResolvedOptions {
  const needsKey = !isKeyless(options)
  if (needsKey && !options.dangerouslyAllowBrowser) refuseBrowser()
  return {
    apiKey: needsKey ? resolveApiKey(options.apiKey ?? readEnvironment('MODELRUN_API_KEY')) : keyOfPage(options),
    baseUrl: resolveBaseUrl(absoluteUrl(options) ?? readEnvironment('MODELRUN_BASE_URL')),
    timeoutMs: positive('timeoutMs', options.timeoutMs ?? 30_000),
    maxRetries: wholeNumber('maxRetries', options.maxRetries ?? 2),
    fetch: options.fetch ?? fetchOf(options.ky),
    fetchOptions: readFetchOptions(options.fetchOptions),
    ky: options.ky,
    headers: readHeaders(options.headers),
    polling: resolvePolling(options.polling ?? {}),
    middleware: [...(options.middleware ?? [])],
    log: createLog(options.logger ?? console, options.logLevel ?? readEnvironment('MODELRUN_LOG') ?? 'warn'),
    tracer: options.tracer,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
}

/** The `fetch` that a ky instance was made with. */
function fetchOf(ky: KyInstance | undefined): FetchLike | undefined {
  let found: FetchLike | undefined
  ky?.extend((defaults) => {
    found = defaults.fetch as FetchLike | undefined
    return {}
  })
  return found
}

function resolvePolling(polling: PollingOptions): ResolvedPolling {
  const { initialIntervalMs = 500, maxIntervalMs = 5_000, maxRequestsPerSecond = 10, nextDelayMs } = polling
  return {
    initialIntervalMs: positive('polling.initialIntervalMs', initialIntervalMs),
    maxIntervalMs: positive('polling.maxIntervalMs', maxIntervalMs),
    maxRequestsPerSecond: positive('polling.maxRequestsPerSecond', maxRequestsPerSecond),
    nextDelayMs,
  }
}

function resolveApiKey(apiKey: ApiKey | undefined): () => Promise<string> {
  if (apiKey === undefined || apiKey === '') {
    throw new ConfigurationError({
      message:
        'The API key is missing. Pass `new ModelRun({ apiKey })` or set the environment variable MODELRUN_API_KEY.',
    })
  }
  if (typeof apiKey === 'function') return async () => checkApiKey(await apiKey())
  const checked = checkApiKey(apiKey)
  return async () => checked
}

/** A key with a line break or a space makes header libraries throw errors that print it; this one does not. */
function checkApiKey(apiKey: unknown): string {
  if (typeof apiKey === 'string' && /^[\x21-\x7e]+$/.test(apiKey)) return apiKey
  const found = typeof apiKey === 'string' ? 'has white space or other characters that no key has' : 'is not a string'
  throw new ConfigurationError({
    message: `The API key ${found}. Look for a line break or quotes around it where it is configured.`,
  })
}

function resolveBaseUrl(baseUrl: string | undefined): string {
  if (baseUrl === undefined || baseUrl === '') {
    throw new ConfigurationError({
      message:
        'The address of the service is missing. Pass `new ModelRun({ baseUrl })` or set the environment variable MODELRUN_BASE_URL.',
    })
  }
  rejectMissingScheme(baseUrl)
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ConfigurationError({
      message:
        'The option `baseUrl` must be an http or https address without user, password, query or fragment, like https://api.example.com.',
    })
  }
  const address = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  if (address.endsWith(`/${API_VERSION}`)) {
    throw new ConfigurationError({
      message: `The option \`baseUrl\` must not end in /${API_VERSION}: the client adds that itself. Use ${address.slice(0, -API_VERSION.length - 1)}.`,
    })
  }
  return address
}

/** `localhost:4010` is a url too, with `localhost:` as its scheme. */
function rejectMissingScheme(baseUrl: string): void {
  const [host] = /^[\w.-]+(:\d+)?(?=\/|$)/.exec(baseUrl) ?? []
  if (host === undefined) return
  const scheme = /^(localhost|127\.|0\.0\.0\.0)/.test(host) ? 'http' : 'https'
  throw new ConfigurationError({
    message: `The option \`baseUrl\` has no scheme: it must begin like ${scheme}://${host}.`,
  })
}

function refuseBrowser(): void {
  if (!isBrowser()) return
  throw new ConfigurationError({
    message:
      "This looks like a browser page, where every visitor can read the API key. Keep the key on your server: put a proxy there (`modelrun/proxy`), and pass `baseUrl: '/api/modelrun'` here, without a key. Or, when the key may be public, pass `dangerouslyAllowBrowser: true`.",
  })
}

/** Checks a number of milliseconds or the like. `Infinity` means no limit. */
export function positive(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value
  throw new ConfigurationError({ message: `The option \`${name}\` must be a number above 0, not ${String(value)}.` })
}

/** Checks a count. */
export function wholeNumber(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0) return value
  throw new ConfigurationError({
    message: `The option \`${name}\` must be a whole number of at least 0, not ${String(value)}.`,
  })
}

function readEnvironment(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name]
  } catch {
    return undefined // Deno without --allow-env
  }
}
