import { WebhookParseError } from '../errors/local-errors.ts'
import type { BodyRules } from '../serving/body-rules.ts'

/** What a web framework may hand over: text, bytes, the request itself, or an object that a body parser made. */
export type WebhookBody = string | Uint8Array | ArrayBuffer | Request | object

/** Largest body that is read. */
export const MAX_WEBHOOK_BYTES = 256 * 1024

/** Says why a body is no delivery. `status` is what the sender is to be answered with: 400 unless told. */
export function unusableBody(problem: string, status = 400): WebhookParseError {
  return new WebhookParseError({ message: `The webhook body cannot be used: ${problem}.`, status })
}

/** The service waits 10 s for the answer (section 6, rule 1), and sends nothing compressed. */
export const WEBHOOK_BODY: BodyRules = {
  maxBytes: MAX_WEBHOOK_BYTES,
  maxMs: 3_000,
  unusable: (problem, kind) => unusableBody(problem, kind === 'late' ? 408 : 400),
}
