import type { Exchange } from '../exchange.ts'

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
