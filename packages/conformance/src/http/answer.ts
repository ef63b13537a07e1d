import type { Exchange } from '../exchange.ts'

/** What the service answered, in full, for judging; the exchange is what the report shows of it. */
export interface Answer {
  exchange: Exchange
  status: number
  headers: Headers
  text: string
  /** The body as JSON; `undefined` when it is none. */
  json: unknown
  /** On the suite's clock. */
  durationMs: number
}

/** No answer came: the connection failed, or the time limit passed. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  readonly exchange: Exchange

  constructor(message: string, exchange: Exchange) {
    super(message)
    this.exchange = exchange
  }
}
