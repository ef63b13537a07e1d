import { failedDeliverySchema, succeededDeliverySchema } from '@modelrun/contract'
import { WebhookParseError } from '../client/errors/local-errors.ts'
import { parseByStatus } from '../client/http/read-response.ts'
import { withKnownStatus } from '../client/jobs/job-operations.ts'
import { systemClock } from '../shared/clock.ts'
import { type BodyRules, readRequest, tooLarge } from '../shared/serving/read-body.ts'
import type { UnknownEvent, WebhookEvent } from './webhook-event.ts'

/** A body as web frameworks have it: text, bytes, the request itself, or the object that a body parser made. */
export type WebhookBody = string | Uint8Array | ArrayBuffer | Request | object

/** Largest body that is read, in bytes. */
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

/** A job id that every database accepts as a key. `.` and `..` would change the path of a URL. */
const JOB_ID = /^(?!\.{1,2}$)[^\p{Cc}\p{Cs}]{1,200}$/u
const STATUS = /^[^\p{Cc}\p{Cs}]{1,100}$/u

const MAX_ITEMS = 1_000

const DELIVERIES_BY_STATUS = { succeeded: succeededDeliverySchema, failed: failedDeliverySchema }

/**
 * Parses a webhook delivery (section 6). Unknown fields are preserved, and an unknown status becomes an
 * {@link UnknownEvent}, so that no delivery is lost. Deliveries are unsigned: confirm them with `jobs.get`.
 *
 * @throws WebhookParseError when the body is not a JSON object with a `job_id` of 1 to 200 characters, or is larger than
 * 256 KiB; for a request also when its body was read before, has a `content-encoding`, or takes longer than 3 s
 */
export async function parseWebhook(body: WebhookBody): Promise<WebhookEvent> {
  const value = copyOf(await readValue(body))
  if (!isNamed(value)) throw unusableBody(describeUnnamed(value))
  const delivery = withKnownStatus(value)
  const known = hasTooManyItems(delivery) ? undefined : parseByStatus<WebhookEvent>(DELIVERIES_BY_STATUS, delivery)
  return known ?? unknownEvent(value)
}

/** The part of a body that every delivery has. */
interface NamedJob {
  job_id: string
  status?: unknown
  output?: unknown
}

function isNamed(value: unknown): value is NamedJob {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !('job_id' in value)) return false
  return typeof value.job_id === 'string' && JOB_ID.test(value.job_id)
}

function unknownEvent(payload: NamedJob): UnknownEvent {
  const { job_id, status } = payload
  const isReadable = typeof status === 'string' && STATUS.test(status)
  return { status: 'unknown', job_id, ...(isReadable ? { reported_status: status } : {}), payload: { ...payload } }
}

/**
 * A handler may fetch each item, so their number is limited. Before the schema, whose list of 120,000 wrong items would keep
 * the process from its other work.
 */
function hasTooManyItems({ status, output }: NamedJob): boolean {
  const { items } = Object(output) as { items?: unknown }
  return status === 'succeeded' && Array.isArray(items) && items.length > MAX_ITEMS
}

/** Copies the body. Of a body that is too deep only the top level is left, which becomes an unknown event. */
function copyOf(value: unknown): unknown {
  const copy: PlainJson = readSafely(() => toPlainJson(value))
  if (copy.kind === 'too_large') throw tooLarge(WEBHOOK_BODY)
  return copy.value
}

/** Reads a value whose getters or proxies may throw. No body parser makes such values. */
function readSafely<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw unusableBody('it is not a JSON object: reading its members throws')
  }
}

async function readValue(body: WebhookBody): Promise<unknown> {
  if (typeof body === 'string') return parseText(body, new TextEncoder().encode(body).byteLength)
  // For instance `undefined`, when no body parser ran: rejected like other values that are not objects.
  if (typeof body !== 'object' || body === null) return body
  const source = readSafely(() => sourceOf(body))
  if (source === undefined) return body
  return parseBytes('arrayBuffer' in source ? await readRequest(source, systemClock, WEBHOOK_BODY) : source)
}

/** Returns a body that has to be read; undefined for the object that a body parser made. */
function sourceOf(body: object): Request | ArrayBuffer | ArrayBufferView | undefined {
  return isRequest(body) || body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? body : undefined
}

/** Checks the shape, because some frameworks have a Request class of their own. */
function isRequest(body: object): body is Request {
  return 'bodyUsed' in body && 'arrayBuffer' in body && typeof body.arrayBuffer === 'function'
}

function parseBytes(bytes: ArrayBuffer | ArrayBufferView): unknown {
  if (bytes.byteLength > MAX_WEBHOOK_BYTES) throw tooLarge(WEBHOOK_BODY)
  return parseText(new TextDecoder().decode(bytes), bytes.byteLength)
}

function parseText(text: string, byteCount: number): unknown {
  if (byteCount > MAX_WEBHOOK_BYTES) throw tooLarge(WEBHOOK_BODY)
  const json = text.startsWith('\ufeff') ? text.slice(1) : text
  if (json === '') throw unusableBody('it is empty. If a body parser ran first, pass the value that it made')
  try {
    return JSON.parse(json)
  } catch {
    throw unusableBody('it is not JSON. The service sends a JSON object (section 6)')
  }
}

function describeUnnamed(value: unknown): string {
  const wanted = 'it is not a JSON object with a text `job_id` of 1 to 200 characters'
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : `of type ${typeof value}`
    return `${wanted}; it is ${kind}${value === undefined ? ', so no body parser ran: pass the request' : ''}`
  }
  if (!('job_id' in value)) return `${wanted}; it has no \`job_id\``
  return `${wanted}, without control characters; its \`job_id\` is something else`
}

/** Deliveries of section 6 have at most 5 levels. */
const MAX_DEPTH = 32

/** The copy of an untrusted value. */
export type PlainJson =
  | { kind: 'plain'; value: unknown }
  /** Deeper than 32 levels, which includes circular values. `value` has only the top level. */
  | { kind: 'too_deep'; value: unknown }
  /** More values or longer texts than a body of the allowed size can have. */
  | { kind: 'too_large' }

/**
 * Copies a value from the network, or from a body parser, into plain objects and lists. The copy has no methods (`toJSON`), no
 * cycles, and no members that change prototypes (`__proto__`, `constructor`).
 */
export function toPlainJson(value: unknown): PlainJson {
  // -1: no comma follows the outermost value.
  const counts = { bytes: -1, isTooDeep: false }
  const copy = copyValue(value, 0, counts)
  if (isTooLarge(counts)) return { kind: 'too_large' }
  return counts.isTooDeep ? { kind: 'too_deep', value: topLevel(copy) } : { kind: 'plain', value: copy }
}

interface Counts {
  /** Minimum size of the JSON of everything that was copied: each value takes at least one character and a comma. */
  bytes: number
  isTooDeep: boolean
}

function copyValue(value: unknown, depth: number, counts: Counts): unknown {
  counts.bytes += 2
  if (typeof value === 'string') countText(value, 1, counts)
  if (typeof value !== 'object' || value === null) return isJson(value) ? value : undefined
  if (depth >= MAX_DEPTH) counts.isTooDeep = true
  if (counts.isTooDeep || isTooLarge(counts)) return undefined
  return Array.isArray(value) ? copyList(value, depth, counts) : copyObject(value, depth, counts)
}

/** @param around bytes of quotes and colon that are not counted elsewhere */
function countText(text: string, around: number, counts: Counts): void {
  const isAscii = text.length > MAX_WEBHOOK_BYTES || !/\P{ASCII}/u.test(text)
  // Encodes as few texts as it can.
  counts.bytes += around + (isAscii ? text.length : new TextEncoder().encode(text).byteLength)
}

function isTooLarge({ bytes }: Counts): boolean {
  return bytes > MAX_WEBHOOK_BYTES
}

function copyList(list: readonly unknown[], depth: number, counts: Counts): unknown[] {
  const copy: unknown[] = []
  for (let index = 0; index < list.length && !isTooLarge(counts); index++) {
    copy.push(copyValue(list[index], depth + 1, counts) ?? null)
  }
  return copy
}

function copyObject(value: object, depth: number, counts: Counts): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    if (namesPrototype(key, member)) continue
    countText(key, 3, counts)
    if (isTooLarge(counts)) break
    const copied = copyValue(member, depth + 1, counts)
    if (copied !== undefined) copy[key] = copied
  }
  return copy
}

/** Such members would change the prototypes of objects that a program merges the event into. */
function namesPrototype(key: string, member: unknown): boolean {
  return key === '__proto__' || (key === 'constructor' && typeof member === 'object')
}

function isJson(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || value === null
}

function topLevel(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member !== 'object'))
}
