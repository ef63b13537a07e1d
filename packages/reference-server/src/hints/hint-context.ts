import type { RequestTrace } from '../http/app-env.ts'
import type { IncomingRequest } from '../http/messages.ts'
import type { Service } from '../service/service.ts'

/** A response that may need a hint, and the request to it. */
export interface HintContext {
  service: Service
  request: IncomingRequest
  trace: RequestTrace
  /** HTTP status of the response. */
  status: number
  /** Error code of an error response. */
  code: string | undefined
}
