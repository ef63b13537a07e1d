import type { ConformanceClock } from './clock.ts'
import type { Redactor } from './redact.ts'

/** A request with its response, as the report shows them: secrets replaced, long bodies cut. */
export interface Exchange {
  /** Position in the report's list of exchanges, from 1 on. */
  id: number
  /** `sent` by the suite to the service, or `received` by its webhook receiver from the service. */
  direction: 'sent' | 'received'
  /** ISO 8601, UTC, on the suite's clock. */
  startedAt: string
  /** On the suite's clock. */
  durationMs: number
  /** Names of headers are in lower case. The body is missing when none was sent. */
  request: { method: string; url: string; headers: Record<string, string>; body?: string | undefined }
  /** Missing without a response. */
  response?: { status: number; headers: Record<string, string>; body: string } | undefined
  /** Reason for the missing response. */
  failure?: string | undefined
}

/** Gathers the exchanges of a run of the suite, in the order in which they started, without secrets. */
export type ExchangeLog = ReturnType<typeof createExchangeLog>

export function createExchangeLog(clock: ConformanceClock, redactor: Redactor) {
  const exchanges: Exchange[] = []
  /** Adds an exchange that starts now. Its url is shown as it is given here. */
  const start = (
    direction: Exchange['direction'],
    { method, url, headers, body }: Omit<Exchange['request'], 'headers'> & { headers: Headers },
  ) => {
    const exchange: Exchange = {
      id: exchanges.length + 1,
      direction,
      startedAt: new Date(clock.now()).toISOString(),
      durationMs: 0,
      request: { method, url, headers: redactor.headers(headers), body: body && redactor.body(body) },
    }
    exchanges.push(exchange)
    return exchange
  }
  return { exchanges, clock, redactor, start }
}
