import { messageWithCause, startTimer, tryParseJson } from '@modelrun/kit'
import type { Exchange, ExchangeLog } from '../exchange.ts'
import type { ResolvedOptions } from '../options.ts'

/** The full response of the service, for judging. `exchange` is the redacted form for the report. */
export interface ApiResponse {
  exchange: Exchange
  /** 0 when the connection failed, or the time limit passed: `text` is the reason then, without secrets. */
  status: number
  headers: Headers
  text: string
  /** The body as JSON; `undefined` when it is not JSON. */
  json: unknown
  /** On the suite's clock. */
  durationMs: number
}

/** The connection failed, or the time limit passed. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError'
  readonly exchange: Exchange

  constructor({ exchange, text }: ApiResponse) {
    super(`No response to ${exchange.request.method} ${exchange.request.url}: ${text}`)
    this.exchange = exchange
  }
}

export interface Call {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the base URL, with its query. */
  path: string
  /** Value of the header `Authorization`; `undefined` sends none. */
  authorization: string | undefined
  /** JSON. */
  body?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

export interface CallerOptions extends Pick<ResolvedOptions, 'baseUrl' | 'fetch'> {
  log: ExchangeLog
  requestTimeoutMs: number
}

const MAX_FILE_BYTES = 64 * 1024

/** Sends a request once and reads its response to the end. */
export function createCaller(options: CallerOptions): (call: Call) => Promise<ApiResponse> {
  return ({ method, path, authorization, body, headers: more }) => {
    const headers = new Headers({ accept: 'application/json', ...more })
    if (authorization !== undefined) headers.set('authorization', authorization)
    if (body !== undefined) headers.set('content-type', 'application/json')
    const init = { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) } as const
    const url = `${options.baseUrl}${path}`
    const read = (response: Response) => response.text()
    return exchange(options, url, { init, shownUrl: options.log.redactor.url(url), read })
  }
}

/** Reads the first bytes of a produced file. The key is not sent: another company may store the file. */
export function createDownloader(options: CallerOptions): (url: string) => Promise<ApiResponse> {
  const init = { method: 'GET', headers: new Headers() }
  return (url) => exchange(options, url, { init, shownUrl: options.log.redactor.body(url), read: firstBytes })
}

interface Transfer {
  init: RequestInit & { method: string; headers: Headers; body?: string }
  shownUrl: string
  read: (response: Response) => Promise<string>
}

async function exchange(options: CallerOptions, url: string, { init, shownUrl, read }: Transfer): Promise<ApiResponse> {
  const { fetch, requestTimeoutMs, log } = options
  const { clock, redactor } = log
  const startedAt = clock.now()
  const recorded = log.start('sent', { ...init, url: shownUrl })
  const abort = new AbortController()
  const limit = new Error(`nothing complete within ${requestTimeoutMs} ms`)
  const stopTimer = startTimer(clock, requestTimeoutMs, () => abort.abort(limit))
  try {
    const response = await fetch(url, { ...init, signal: abort.signal })
    const text = await read(response)
    const { status, headers } = response
    recorded.response = { status, headers: redactor.headers(headers), body: redactor.body(text) }
    return { exchange: recorded, status, headers, text, json: tryParseJson(text), durationMs: clock.now() - startedAt }
  } catch (error) {
    const text = redactor.text(messageWithCause(error))
    recorded.failure = text
    return { exchange: recorded, status: 0, headers: new Headers(), text, json: undefined, durationMs: 0 }
  } finally {
    stopTimer()
    recorded.durationMs = clock.now() - startedAt
  }
}

/** How many. */
async function firstBytes({ body }: Response): Promise<string> {
  let count = 0
  for await (const part of body ?? []) {
    count += part.byteLength
    if (count >= MAX_FILE_BYTES) break
  }
  return `[${count} bytes read]`
}
