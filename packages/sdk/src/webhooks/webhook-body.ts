import { WebhookParseError } from '../client/errors/local-errors.ts'
import type { BodyRules } from '../shared/serving/read-body.ts'

/** A body as web frameworks have it: text, bytes, the request itself, or the object that a body parser made. */
export type WebhookBody = string | Uint8Array | ArrayBuffer | Request | object

/** Largest body that is read, in bytes. */
export const MAX_WEBHOOK_BYTES = 256 * 1024

/** Creates the error for a body that is not a delivery. `status` is the status of the response. Default 400. */
export function unusableBody(problem: string, status = 400): WebhookParseError {
  return new WebhookParseError({ message: `The webhook body cannot be used: ${problem}.`, status })
}

/** The service waits 10 s for the response (section 6, rule 1), and does not compress bodies. */
export const WEBHOOK_BODY: BodyRules = {
  maxBytes: MAX_WEBHOOK_BYTES,
  maxMs: 3_000,
  unusable: (problem, kind) => unusableBody(problem, kind === 'late' ? 408 : 400),
}
