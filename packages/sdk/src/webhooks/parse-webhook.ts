import { defined, hasMethods, isRecord, memberOf, numberIn, stringIn } from '@modelrun/kit'
import { WebhookParseError } from '../client/errors/local-errors.ts'
import { asKnownStatus, toJobId, toOutput } from '../client/http/read-response.ts'
import { errorDetailOf, NO_REASON } from '../client/jobs/job-operations.ts'
import { systemClock } from '../shared/clock.ts'
import { type BodyRules, readRequest, tooLarge } from '../shared/serving/read-body.ts'
import type { FailedEvent, SucceededEvent, UnknownEvent, WebhookEvent } from './webhook-event.ts'

/** A body as web frameworks have it: text, bytes, the request itself, or the object that a body parser made. */
export type WebhookBody = string | Uint8Array | ArrayBuffer | Request | object

export const MAX_WEBHOOK_BYTES = 256 * 1024

/** Creates the error for a body that is not a delivery. `status` is the status of the response. Default 400. */
function unusableBody(problem: string, status = 400): WebhookParseError {
  return new WebhookParseError({ message: `The webhook body cannot be used: ${problem}.`, status })
}

/** The service waits 10 s for the response (section 6, rule 1), and does not compress bodies. */
export const WEBHOOK_BODY: BodyRules = {
  maxBytes: MAX_WEBHOOK_BYTES,
  maxMs: 3_000,
  unusable: (problem, kind) => unusableBody(problem, kind === 'late' ? 408 : 400),
}

const STATUS = /^[^\p{Cc}\p{Cs}]{1,100}$/u

/**
 * Parses a webhook delivery (section 6). The job id, the status, and the output of a success decide. Other fields are preserved:
 * `credits_used` and `completed_at` only with a value of their type. Any other status becomes an {@link UnknownEvent}, so that no
 * delivery is lost. Deliveries are unsigned: confirm them with `jobs.get`.
 *
 * @throws WebhookParseError when the body is not a JSON object with a `job_id` of 1 to 500 characters, or is larger than
 * 256 KiB; for a request also when its body was read before, has a `content-encoding`, or takes longer than 3 s
 */
export async function parseWebhook(body: WebhookBody): Promise<WebhookEvent> {
  const value = parseText(await readText(body))
  const job_id = toJobId(memberOf(value, 'job_id'))
  if (!isRecord(value) || job_id === undefined) throw unusableBody(describeUnnamed(value))
  cleanMembers(value)
  return readResult(value) ?? unknownEvent(job_id, value)
}

/** The event of a body, or of a job, whose status is not an end that section 6 knows. */
export function unknownEvent(job_id: string, payload: Record<string, unknown>): UnknownEvent {
  const { status } = payload
  const isReadable = typeof status === 'string' && STATUS.test(status)
  return { status: 'unknown', job_id, ...(isReadable ? { reported_status: status } : {}), payload }
}

/**
 * Reads the end of a job, as a delivery has it. Only what decides must be complete: a paid result is not lost to the shape of a side
 * field. Returns undefined for any other status, and for a success without an output.
 */
export function readResult(value: Readonly<Record<string, unknown>>): SucceededEvent | FailedEvent | undefined {
  const { job_id: reported, status: reportedStatus, credits_used: _, completed_at: __, ...rest } = value
  const job_id = toJobId(reported)
  if (job_id === undefined) return undefined
  const side = defined({
    credits_used: numberIn(value, 'credits_used'),
    completed_at: stringIn(value, 'completed_at'),
  })
  const status = typeof reportedStatus === 'string' ? asKnownStatus(reportedStatus) : undefined
  if (status === 'failed') return { ...rest, ...side, job_id, status, error: errorDetailOf(rest.error) ?? NO_REASON }
  const output = toOutput(rest.output)
  return status === 'succeeded' && output ? { ...rest, ...side, job_id, status, output } : undefined
}

/** The object that a body parser made becomes JSON again, so that it passes the checks of every other body. */
async function readText(body: WebhookBody): Promise<string> {
  if (typeof body === 'string') return body
  const source = readable(body)
  if (typeof source === 'string') return source
  const bytes = isBytes(source) ? source : await readRequest(source, systemClock, WEBHOOK_BODY)
  if (bytes.byteLength > MAX_WEBHOOK_BYTES) throw tooLarge(WEBHOOK_BODY)
  return new TextDecoder().decode(bytes)
}

/** No body parser makes objects whose members throw, or that contain themselves, as a request of Node does. */
function readable(body: Exclude<WebhookBody, string>): Request | ArrayBuffer | Uint8Array | string {
  try {
    return isRequest(body) || isBytes(body) ? body : (JSON.stringify(body) ?? 'null')
  } catch {
    throw unusableBody('it is not plain JSON. Of a request of Node or Express, pass its `body`')
  }
}

/** Checks the shape, because some frameworks have a Request class of their own. */
function isRequest(body: WebhookBody): body is Request {
  return hasMethods(body, 'arrayBuffer') && memberOf(body, 'bodyUsed') !== undefined
}

function isBytes(body: WebhookBody): body is ArrayBuffer | Uint8Array {
  return body instanceof ArrayBuffer || ArrayBuffer.isView(body)
}

function parseText(text: string): unknown {
  if (text.length > MAX_WEBHOOK_BYTES || new TextEncoder().encode(text).byteLength > MAX_WEBHOOK_BYTES) {
    throw tooLarge(WEBHOOK_BODY)
  }
  const json = text.startsWith('\ufeff') ? text.slice(1) : text
  if (json === '') throw unusableBody('it is empty. If a body parser ran first, pass the value that it made')
  try {
    return JSON.parse(json)
  } catch {
    throw unusableBody('it is not JSON. The service sends a JSON object (section 6)')
  }
}

function describeUnnamed(value: unknown): string {
  const wanted = 'it is not a JSON object with a `job_id` of 1 to 500 characters, none of them a control character'
  return value === null ? `${wanted}. If no body parser ran, pass the request` : wanted
}

/** Deliveries of section 6 have at most 5 levels. Databases, and the stack of `JSON.stringify`, have limits. */
const MAX_DEPTH = 32

/** Removes members that are nested too deep, and those that would change the prototypes of objects that a program merges them into. */
function cleanMembers(value: object, depth = 1): void {
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'object' || member === null) continue
    const isWrong = depth >= MAX_DEPTH || key === '__proto__' || key === 'constructor'
    if (isWrong) Reflect.deleteProperty(value, key)
    else cleanMembers(member, depth + 1)
  }
}
