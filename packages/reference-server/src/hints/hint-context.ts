import type { RequestTrace } from '../http/route-result.ts'
import type { Service } from '../service/service.ts'

/** A response that may need a hint, and the request to it. */
export interface HintContext {
  service: Service
  request: Request
  trace: RequestTrace
  /** HTTP status of the response. */
  status: number
  /** Error code of an error response. */
  code: string | undefined
}
