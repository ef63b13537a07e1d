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
  /** The request as it was sent, without secrets. */
  request: ExchangeRequest
  /** Missing without a response. */
  response?: ExchangeResponse | undefined
  /** Reason for the missing response. */
  failure?: string | undefined
}

/** A request of the suite. Secrets are left out. */
interface ExchangeRequest {
  /** HTTP method. */
  method: string
  /** The whole URL. */
  url: string
  /** Header names in lower case, with their values. */
  headers: Record<string, string>
  /** The body as text; missing when none was sent. */
  body?: string | undefined
}

/** The response of the service. */
interface ExchangeResponse {
  /** HTTP status. */
  status: number
  /** Header names in lower case, with their values. */
  headers: Record<string, string>
  /** The body as text. */
  body: string
}

/** Gathers the exchanges of a run of the suite, in the order in which they started, without secrets. */
export type ExchangeLog = ReturnType<typeof createExchangeLog>

type StartedRequest = Omit<ExchangeRequest, 'headers'> & { headers: Headers }

export function createExchangeLog(clock: ConformanceClock, redactor: Redactor) {
  const exchanges: Exchange[] = []
  /** Adds an exchange that starts now. Its url is shown as it is given here. */
  const start = (direction: Exchange['direction'], { method, url, headers, body }: StartedRequest) => {
    const shownBody = body === undefined ? undefined : redactor.body(body)
    const exchange: Exchange = {
      id: exchanges.length + 1,
      direction,
      startedAt: new Date(clock.now()).toISOString(),
      durationMs: 0,
      request: { method, url, headers: redactor.headers(headers), body: shownBody },
    }
    exchanges.push(exchange)
    return exchange
  }
  return { exchanges, clock, redactor, start }
}
