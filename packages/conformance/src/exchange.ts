/** A request with its answer, as the report keeps it: secrets are replaced, long bodies cut. */
export interface Exchange {
  /** Position in the report's list of exchanges, from 1 on. */
  id: number
  /** `sent` by the suite to the service, or `received` by its webhook receiver from the service. */
  direction: 'sent' | 'received'
  /** ISO 8601, UTC, on the suite's clock. */
  startedAt: string
  /** On the suite's clock. */
  durationMs: number
  request: ExchangeRequest
  /** Missing when none came. */
  response?: ExchangeResponse | undefined
  /** Why no answer came. */
  failure?: string | undefined
}

export interface ExchangeRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string | undefined
}

export interface ExchangeResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Gathers the exchanges of a run of the suite, in the order in which they began. */
export class ExchangeLog {
  readonly exchanges: Exchange[] = []

  add(exchange: Omit<Exchange, 'id'>): Exchange {
    const numbered = { id: this.exchanges.length + 1, ...exchange }
    this.exchanges.push(numbered)
    return numbered
  }
}
