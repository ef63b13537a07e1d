import type { RejectionKind, Rejections } from '../assumptions/rejections.ts'
import type { Service } from '../service/service.ts'
import { jsonResponse } from './json-response.ts'
import type { RequestTrace } from './request-trace.ts'

/** Kinds of requests that may also be accepted. */
export type AcceptableKind = {
  [Kind in RejectionKind]: 'accepted' extends Rejections[Kind] ? Kind : never
}[RejectionKind]

export function isAccepted({ options }: Service, kind: AcceptableKind): boolean {
  return options.assumptions.rejections[kind] === 'accepted'
}

/** The response that rejects a request, as the assumption `rejections` says (section 7). */
export function reject(
  { service, trace }: { service: Service; trace: RequestTrace },
  kind: RejectionKind,
  message: string,
): Response {
  const refusal = service.options.assumptions.rejections[kind]
  trace.refusal = kind
  // Who may accept a request asks `isAccepted` first.
  if (refusal === 'accepted') throw new Error(`A request is accepted, and was rejected for ${kind}.`)
  return jsonResponse(refusal.status, { error: { code: refusal.code, message } })
}
