import { memberOf, messageWithCause, tryParseJson } from '@modelrun/kit'
import type { ConformanceClock } from '../clock.ts'
import type { Exchange, ExchangeLog } from '../exchange.ts'
import type { Redactor } from '../redact.ts'

/** The full response of the service, for judging. `exchange` is the redacted form for the report. */
export interface ApiResponse {
  exchange: Exchange
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
  /** What happened, without secrets. */
  readonly reason: string
  /** Code of the system or of TLS, such as `ECONNREFUSED`, where there is one. */
  readonly code: string | undefined

  constructor(exchange: Exchange, { reason, code }: { reason: string; code: string | undefined }) {
    super(`No response to ${exchange.request.method} ${exchange.request.url}: ${reason}`)
    this.exchange = exchange
    this.reason = reason
    this.code = code
  }
}

/** One request to the service. */
export interface Call {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the base URL, with its query. */
  path: string
  /** Value of the header `Authorization`; `undefined` sends none. */
  authorization: string | undefined
  /** Text of the body. */
  body?: string | undefined
  /** Default `application/json` when there is a body. */
  contentType?: string | undefined
  /** More headers. */
  headers?: Readonly<Record<string, string>> | undefined
}

export interface CallerOptions {
  baseUrl: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  clock: ConformanceClock
  log: ExchangeLog
  redactor: Redactor
  requestTimeoutMs: number
}

/** Read limit for a produced file. */
const MAX_FILE_BYTES = 64 * 1024

/** Sends a request once and reads its response to the end. */
export function createCaller(options: CallerOptions): (call: Call) => Promise<ApiResponse> {
  return ({ method, path, authorization, body, contentType = 'application/json', headers: more }) => {
    const headers = new Headers({ accept: 'application/json', ...more })
    if (authorization !== undefined) headers.set('authorization', authorization)
    if (body !== undefined) headers.set('content-type', contentType)
    const init = { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) } as const
    const url = `${options.baseUrl}${path}`
    return exchange(options, url, { init, shownUrl: options.redactor.url(url), read: (response) => response.text() })
  }
}

/** Reads the first bytes of a produced file. The key is not sent: another company may store the file. */
export function createDownloader(options: CallerOptions): (url: string) => Promise<ApiResponse> {
  const read = async (response: Response) => `[${await countBytes(response)} bytes read]`
  const init = { method: 'GET', headers: new Headers() }
  return (url) => exchange(options, url, { init, shownUrl: options.redactor.body(url), read })
}

interface Transfer {
  init: RequestInit & { headers: Headers }
  /** The URL as the report shows it. */
  shownUrl: string
  read: (response: Response) => Promise<string>
}

async function exchange(options: CallerOptions, url: string, { init, shownUrl, read }: Transfer): Promise<ApiResponse> {
  const { clock, log, redactor } = options
  const startedAt = clock.now()
  const body = typeof init.body === 'string' ? redactor.body(init.body) : undefined
  const recorded = log.add({
    direction: 'sent',
    startedAt: new Date(startedAt).toISOString(),
    durationMs: 0,
    request: { method: init.method ?? 'GET', url: shownUrl, headers: redactor.headers(init.headers), body },
  })
  try {
    const { response, text } = await withTimeLimit(options, async (signal) => {
      const received = await options.fetch(url, { ...init, signal })
      return { response: received, text: await read(received) }
    })
    const { status, headers } = response
    recorded.response = { status, headers: redactor.headers(headers), body: redactor.body(text) }
    return { exchange: recorded, status, headers, text, json: tryParseJson(text), durationMs: clock.now() - startedAt }
  } catch (error) {
    const reason = redactor.text(messageWithCause(error))
    recorded.failure = reason
    throw new NoResponseError(recorded, { reason, code: codeOf(error) })
  } finally {
    recorded.durationMs = clock.now() - startedAt
  }
}

async function withTimeLimit<Value>(
  { clock, requestTimeoutMs }: CallerOptions,
  send: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const abort = new AbortController()
  const limit = new Error(`nothing complete within ${requestTimeoutMs} ms`)
  const timer = clock.setTimeout(() => abort.abort(limit), requestTimeoutMs)
  try {
    return await send(abort.signal)
  } finally {
    clock.clearTimeout(timer)
  }
}

async function countBytes(response: Response): Promise<number> {
  const reader = response.body?.getReader()
  let bytes = 0
  while (reader !== undefined && bytes < MAX_FILE_BYTES) {
    const part = await reader.read()
    if (part.done) return bytes
    bytes += part.value.byteLength
  }
  await reader?.cancel()
  return bytes
}

function codeOf(error: unknown): string | undefined {
  const code = memberOf(error, 'code') ?? memberOf(memberOf(error, 'cause'), 'code')
  return typeof code === 'string' ? code : undefined
}
