import { failedDeliverySchema, succeededDeliverySchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { WebhookParseError } from '../errors/local-errors.ts'
import { parseByStatus } from '../parse-wire.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Largest body that is read. */
export const MAX_WEBHOOK_BYTES = 256 * 1024

/** What a web framework may hand over: text, bytes, the request itself, or an object that a body parser made. */
export type WebhookBody = string | Uint8Array | ArrayBuffer | Request | object

const namedJobSchema = /* @__PURE__ */ (() =>
  z.looseObject({
    job_id: z.string().check(z.minLength(1), z.maxLength(200)),
    status: z.optional(z.unknown()),
  }))()

const DELIVERIES_BY_STATUS = { succeeded: succeededDeliverySchema, failed: failedDeliverySchema }

/**
 * Reads a webhook delivery (section 6). Newer fields and statuses are kept, not refused: they come as
 * {@link UnknownEvent}, so that no delivery is lost. Deliveries are unsigned: confirm them with `jobs.get`.
 *
 * @throws WebhookParseError when the body is no JSON object with a `job_id`, is larger than 256 KiB, or was read before
 */
export async function parseWebhook(body: WebhookBody): Promise<WebhookEvent> {
  const value = await readValue(body)
  const named = z.safeParse(namedJobSchema, value)
  if (!named.success) throw parseError('it is not a JSON object with a text `job_id` of 1 to 200 characters')
  const known = parseByStatus<WebhookEvent>(DELIVERIES_BY_STATUS, value)
  if (known !== undefined) return known
  const { job_id, status } = named.data
  return {
    status: 'unknown',
    job_id,
    ...(typeof status === 'string' ? { reported_status: status } : {}),
    payload: named.data,
  }
}

async function readValue(body: WebhookBody): Promise<unknown> {
  if (typeof body === 'string') return parseText(body, new TextEncoder().encode(body).byteLength)
  // What a program without types passes when no body parser ran: refused as any other value that is no object.
  if (typeof body !== 'object' || body === null) return body
  if (isRequest(body)) return await readRequest(body)
  if (body instanceof ArrayBuffer) return parseText(new TextDecoder().decode(body), body.byteLength)
  if (ArrayBuffer.isView(body)) return parseText(new TextDecoder().decode(body), body.byteLength)
  return body
}

/** By its shape: some frameworks bring a Request class of their own. */
function isRequest(body: object): body is Request {
  return 'bodyUsed' in body && 'arrayBuffer' in body && typeof body.arrayBuffer === 'function'
}

async function readRequest(request: Request): Promise<unknown> {
  if (request.bodyUsed) {
    throw parseError('the body of the request has been read already: pass the value that your body parser made of it')
  }
  const decoder = new TextDecoder()
  let text = ''
  let byteCount = 0
  try {
    for await (const chunk of request.body ?? []) {
      byteCount += chunk.byteLength
      if (byteCount > MAX_WEBHOOK_BYTES) break
      text += decoder.decode(chunk, { stream: true })
    }
  } catch {
    throw parseError('the connection broke before its end')
  }
  return parseText(text + decoder.decode(), byteCount)
}

function parseText(text: string, byteCount: number): unknown {
  if (byteCount > MAX_WEBHOOK_BYTES) throw parseError(`it is larger than ${MAX_WEBHOOK_BYTES} bytes`)
  if (text === '') throw parseError('it is empty. If a body parser ran first, pass the value that it made')
  try {
    return JSON.parse(text)
  } catch {
    throw parseError('it is not JSON')
  }
}

function parseError(problem: string): WebhookParseError {
  return new WebhookParseError({ message: `The webhook body cannot be used: ${problem}.` })
}
