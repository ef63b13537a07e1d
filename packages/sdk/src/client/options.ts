import { ConfigurationError, isPlainHttp, readEnvironment, toUrl } from '@modelrun/kit'
import type { KyInstance } from 'ky'
import { type Clock, systemClock } from '../shared/clock.ts'
import { type FetchLike, type FetchOptions, type HeadersOption, headersByName, readFetchOptions } from './http/fetch.ts'
import { type ApiKey, createKeyReader } from './http/send-attempt.ts'
import { type PollingOptions, resolvePolling } from './jobs/polling/polling-options.ts'
import { createLog, LOG_LEVELS, type Log, type Logger, type LogLevel } from './observe/logger.ts'
import { absoluteUrl, isBrowser, isKeyless, keyOfPage } from './page.ts'

const API_VERSION = 'v1'

/** Options of {@link ModelRun}. */
export interface ModelRunOptions {
  /** Default: the environment variable `MODELRUN_API_KEY`. A page that uses a proxy (`modelrun/proxy`) has none. */
  apiKey?: ApiKey | undefined
  /**
   * URL of the service; the paths `/v1/…` are below it. Default: the environment variable `MODELRUN_BASE_URL`. In a page
   * also a path like `/api/modelrun`, where the server of the page has a proxy.
   */
  baseUrl?: string | undefined
  /**
   * Time limit of one HTTP request, headers and body, in milliseconds. Default 30 000. A synchronous run gets the 55 s
   * for which the service holds it (section 8) on top.
   */
  timeoutMs?: number | undefined
  /** Maximum number of retries of a request, where a retry cannot charge twice. Default 2. */
  maxRetries?: number | undefined
  /** Replaces the global `fetch` for calls and downloads. It gets a URL and an object, never a `Request`. */
  fetch?: FetchLike | undefined
  /**
   * Passed to `fetch` with every request of calls and downloads: an undici `dispatcher`, Bun's `proxy` and `tls`, Deno's
   * `client`, … `credentials` and `mode` are only for calls, because files are on other hosts.
   */
  fetchOptions?: FetchOptions | undefined
  /**
   * A ky instance that sends the requests, with its headers, search parameters, `fetch`, framework options and hooks. Each
   * attempt is one call of it: the client sets time limits, retries and the meaning of a status, so `beforeRetry` hooks never
   * run. Hooks do not see the API key. The response of an `afterResponse` hook is not used when the service gave a result.
   * `ky.retry()` is ignored, because a run could be charged twice. Downloads use only its `fetch`.
   */
  ky?: KyInstance | undefined
  /**
   * Sent with every request to the service, but not with downloads. The client sets `authorization` (the API key), `accept`
   * and `content-type` itself.
   */
  headers?: HeadersOption | undefined
  /** How jobs are polled. Each missing member has its default. */
  polling?: PollingOptions | undefined
  /** Receives the log lines. Default `console`. */
  logger?: Logger | undefined
  /** Default: the environment variable `MODELRUN_LOG`, else `warn`. */
  logLevel?: LogLevel | undefined
  /** The source of time. Default: the system's clock. */
  clock?: Clock | undefined
  /** The source of jitter: returns a number from 0 up to 1. Default `Math.random`. */
  random?: (() => number) | undefined
  /**
   * Allows a live key (section 5.3) to go to another machine over plain http, where everybody on the way can read it. Default false.
   */
  dangerouslyAllowHttp?: boolean | undefined
  /** Allows a page of a browser, or its worker, to hold the API key, which shows it to every visitor. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined
}

/** The options with every field named, checked and present. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>

/** Fills in the defaults. The options are those of `readClientOptions`. @throws ConfigurationError */
export function resolveOptions(options: ModelRunOptions) {
  const needsKey = !isKeyless(options)
  const baseUrl = resolveBaseUrl(absoluteUrl(options))
  if (needsKey && !options.dangerouslyAllowBrowser) rejectBrowser()
  return {
    /** Undefined: no key is sent, because a proxy adds it. */
    apiKey: needsKey ? resolveApiKey(options, baseUrl) : keyOfPage(options),
    /** Without a slash at its end. */
    baseUrl,
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetries: options.maxRetries ?? 2,
    /** Undefined: the global one, read at each call. */
    fetch: options.fetch ?? fetchOf(options.ky),
    fetchOptions: readFetchOptions(options.fetchOptions),
    ky: options.ky,
    /** By their names in lower case. */
    headers: headersByName(options.headers),
    polling: resolvePolling(options.polling ?? {}),
    log: resolveLog(options),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
}

function fetchOf(ky: KyInstance | undefined): FetchLike | undefined {
  let found: FetchLike | undefined
  ky?.extend((defaults) => {
    found = defaults.fetch as FetchLike | undefined
    return {}
  })
  return found
}

function resolveApiKey(
  { apiKey: given, dangerouslyAllowHttp }: ModelRunOptions,
  baseUrl: string,
): () => string | Promise<string> {
  const apiKey = given ?? readEnvironment('MODELRUN_API_KEY')
  if (apiKey === undefined || apiKey === '') {
    throw new ConfigurationError({
      message:
        'The API key is missing. Pass `new ModelRun({ apiKey })` or set the environment variable MODELRUN_API_KEY.',
    })
  }
  const source = given === undefined ? ' in MODELRUN_API_KEY' : ''
  return createKeyReader(apiKey, { source, mayBeLive: dangerouslyAllowHttp === true || !isPlainHttp(baseUrl) })
}

function resolveBaseUrl(given: string | undefined): string {
  const baseUrl = given ?? readEnvironment('MODELRUN_BASE_URL')
  const name = given === undefined ? 'The environment variable MODELRUN_BASE_URL' : 'The option `baseUrl`'
  if (baseUrl === undefined || baseUrl === '') {
    throw new ConfigurationError({
      message:
        'The URL of the service is missing. Pass `new ModelRun({ baseUrl })` or set the environment variable MODELRUN_BASE_URL.',
    })
  }
  const url = toUrl(baseUrl)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new ConfigurationError({
      message: `${name} must be an http or https URL with its scheme, and without user, password, query or fragment, like https://api.example.com.`,
    })
  }
  const normalized = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  if (normalized.endsWith(`/${API_VERSION}`)) {
    throw new ConfigurationError({
      message: `${name} must not end in /${API_VERSION}: the client adds that itself. Use ${normalized.slice(0, -API_VERSION.length - 1)}.`,
    })
  }
  return normalized
}

/** A wrong environment variable is logged and does not stop the program. */
function resolveLog({ logger = console, logLevel }: ModelRunOptions): Log {
  const wanted = logLevel ?? readEnvironment('MODELRUN_LOG')
  const level = LOG_LEVELS.find((name) => name === wanted)
  const log = createLog(logger, level ?? 'warn')
  if (wanted && level === undefined) {
    log.warn(
      `MODELRUN_LOG is ${JSON.stringify(wanted)}. It must be one of ${LOG_LEVELS.join(', ')}, and counts as warn.`,
    )
  }
  return log
}

function rejectBrowser(): void {
  if (!isBrowser()) return
  throw new ConfigurationError({
    message:
      "This seems to be a browser page, where every visitor can read the API key. Keep the key on your server: put a proxy there (`modelrun/proxy`), and pass `baseUrl: '/api/modelrun'` here, without a key. Or, when the key may be public, pass `dangerouslyAllowBrowser: true`.",
  })
}
