import { WebhookParseError } from '../errors/local-errors.ts'

/** What a web framework may hand over: text, bytes, the request itself, or an object that a body parser made. */
export type WebhookBody = string | Uint8Array | ArrayBuffer | Request | object

/** Largest body that is read. */
export const MAX_WEBHOOK_BYTES = 256 * 1024

/** Longest time for which a body may be on its way. The service waits 10 s for the answer (section 6, rule 1). */
export const MAX_BODY_MS = 3_000

/** Says why a body is no delivery. `status` is what the sender is to be answered with: 400 unless told. */
export function unusableBody(problem: string, status = 400): WebhookParseError {
  return new WebhookParseError({ message: `The webhook body cannot be used: ${problem}.`, status })
}

export function tooLarge(): WebhookParseError {
  return unusableBody(`it is larger than ${MAX_WEBHOOK_BYTES} bytes`)
}

/** What a request says of a body that is still to be read. */
export interface BodyHeaders {
  contentEncoding: string | null | undefined
  contentLength: string | null | undefined
}

/** Small bodies that unpack to huge ones are a way to exhaust a receiver, and the service packs nothing. */
export function refuseEncoded({ contentEncoding }: Pick<BodyHeaders, 'contentEncoding'>): void {
  if (contentEncoding && contentEncoding.trim().toLowerCase() !== 'identity') {
    const name = contentEncoding.slice(0, 40)
    throw unusableBody(
      `its content-encoding is ${JSON.stringify(name)}. Send it without, or unpack it before the inbox`,
    )
  }
}

export function saysTooLarge({ contentLength }: Pick<BodyHeaders, 'contentLength'>): boolean {
  return Number(contentLength) > MAX_WEBHOOK_BYTES
}
