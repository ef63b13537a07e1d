import type { RequestTrace } from '../http/request-trace.ts'
import type { Service } from '../service/service.ts'

/** An answer that somebody may need help with, and the request to it. */
export interface HintContext {
  service: Service
  request: Request
  trace: RequestTrace
  /** HTTP status of the answer. */
  status: number
  /** Error code of the answer, if it is a refusal. */
  code: string | undefined
}

/** Path below the base address, percent-encoded. */
export function pathOf({ service, request }: Pick<HintContext, 'service' | 'request'>): string {
  const { pathname } = new URL(request.url)
  const base = new URL(service.baseUrl).pathname.replace(/\/$/, '')
  return base !== '' && pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
}

/** Text of a path segment; what is no valid encoding stays as it is. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
