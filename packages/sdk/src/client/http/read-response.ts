import { type ErrorDetail, errorBodySchema } from '@modelrun/contract'
import { jsonPointer, memberOf, tryParseJson } from '@modelrun/kit'
import * as z from 'zod/mini'
import { type ReceivedResponse, UnreadableResponse } from './operation.ts'

/** Responses of the service are small JSON documents. A larger body is from something else. */
const MAX_BODY_BYTES = 10 * 1024 * 1024

/** The text of a body, or the received part of it. */
export type BodyText = Pick<ReceivedResponse, 'text' | 'isCut' | 'problem'>

/** Reads a whole response. `redact` removes the API key from what may be printed. Never rejects. */
export async function receive(
  response: Response,
  signal: AbortSignal,
  redact: (text: string) => string,
): Promise<ReceivedResponse> {
  const body = await readBody(response, signal)
  const requestId = response.headers.get('x-request-id')
  return {
    ...body,
    status: response.status,
    text: redact(body.text),
    requestId: requestId === null ? undefined : redact(requestId),
    response,
  }
}

/** True for what can be read as a response: that of any library, not what a `fetch` has made up. */
export function isResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null) return false
  const { status, headers, body, bodyUsed } = value as Partial<Response>
  const isReadable = body === null || bodyUsed || typeof body?.getReader === 'function'
  return Number.isInteger(status) && typeof headers?.get === 'function' && isReadable
}

const IS_READ = 'its body has been read already, by the option `fetch` or a hook; they must read a `response.clone()`'

/**
 * Reads a body chunk by chunk. The part before a broken connection, a time limit or an abort is not lost: it may hold the
 * id of a job that was paid for. Settles at once when the signal aborts. Never rejects.
 */
export async function readBody(response: Response, signal: AbortSignal): Promise<BodyText> {
  if (response.bodyUsed || response.body?.locked) return { text: '', isCut: false, problem: IS_READ }
  if (response.body === null) return { text: '', isCut: false }
  const reader = response.body.getReader()
  // Ends the pending read, also when the body ignores it.
  const stop = () => void reader.cancel().catch(() => {})
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let byteCount = 0
  try {
    for (;;) {
      const chunk = await reader.read()
      if (chunk.done && signal.aborted) break
      if (chunk.done) return { text: WHOLE.decode(joined(chunks)), isCut: false }
      byteCount += chunk.value.byteLength
      if (byteCount > MAX_BODY_BYTES) break
      chunks.push(chunk.value)
    }
  } catch {
    // Cut: by the connection's end, or by the signal.
  } finally {
    signal.removeEventListener('abort', stop)
  }
  // Frees the connection.
  stop()
  // A character that the cut has broken is left out.
  return { text: new TextDecoder().decode(joined(chunks), { stream: true }), isCut: true }
}

/** For whole bodies. A decoder for each, of chunks, takes many times as long. */
const WHOLE = /* @__PURE__ */ new TextDecoder()

function joined(chunks: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const [first = new Uint8Array(), ...rest] = chunks
  if (rest.length === 0) return first
  const bytes = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

/** Parses the body of a response and checks its shape. Unknown fields stay. */
export function readJson<T>(schema: z.ZodMiniType<T>): (received: ReceivedResponse) => T {
  return (received) => {
    const checked = parseWire(schema, parseJson(received))
    if (checked.success) return checked.data
    // A failed check has at least one issue.
    throw new UnreadableResponse(describeIssue(checked.error.issues[0] as z.core.$ZodIssue))
  }
}

/** The value of a JSON body, which is parsed once. Undefined when it is not JSON. */
export function jsonIn(received: ReceivedResponse): unknown {
  received.parsed ??= { value: tryParseJson(received.text) }
  return received.parsed.value
}

/** The error in a response, when its body is an error body of the service (section 7). */
export function errorDetailIn(received: ReceivedResponse): ErrorDetail | undefined {
  return checkShape(errorBodySchema, jsonIn(received)).data?.error
}

/**
 * The code of a rejection that the proxy passes on to a page and that the service did not write: the page must not conclude
 * from it that nothing is charged.
 */
export const GATEWAY_REJECTION = 'GATEWAY_REJECTION'

/** The value in the body of a response. @throws UnreadableResponse when it is cut, empty or not JSON */
export function parseJson(received: ReceivedResponse): unknown {
  const { text, isCut, problem } = received
  if (problem !== undefined) throw new UnreadableResponse(problem)
  if (isCut) throw new UnreadableResponse(`the connection ended after ${text.length} characters of the body`)
  if (text.trim() === '') throw new UnreadableResponse('the body is empty')
  const value = jsonIn(received)
  if (value === undefined) throw new UnreadableResponse(`the body is not JSON; it starts with ${excerpt(text)}`)
  return value
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return `the body has a wrong shape at ${jsonPointer(path) || 'its root'}: ${message}`
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}

/**
 * Checks a value that was received. A value that does not fit is checked again without its `null` members: services often
 * send `null` for absent members, and a job must not be lost to that.
 */
export function parseWire<T>(schema: z.ZodMiniType<T>, value: unknown): z.core.util.SafeParseResult<T> {
  const checked = checkShape(schema, value)
  if (checked.success || isTooWide(value)) return checked
  const again = checkShape(schema, withoutNulls(value))
  return again.success ? again : checked
}

/** Checks a value, unless that would cost more than a response is worth: a schema has an issue for each wrong member. */
function checkShape<T>(schema: z.ZodMiniType<T>, value: unknown): z.core.util.SafeParseResult<T> {
  return z.safeParse(schema, isTooWide(value) ? TOO_WIDE : value)
}

/** Fits no schema of a response. */
const TOO_WIDE = 'a value with too many members'

/** The most members of a list or an object in a response. */
const MAX_MEMBERS = 50_000

/** True for more members, in all, than any response has. Stops at the first that is too many. */
function isTooWide(value: unknown): boolean {
  let count = 0
  const visit = (one: unknown, depth: number): boolean => {
    if (typeof one !== 'object' || one === null || depth > MAX_DEPTH) return false
    const size = Array.isArray(one) ? one.length : Object.keys(one).length
    count += size
    return count > MAX_MEMBERS || Object.values(one).some((member) => visit(member, depth + 1))
  }
  return visit(value, 0)
}

/**
 * Checks a value by the schema for its `status`. Does the same as `z.discriminatedUnion` for a tenth of its size.
 *
 * @returns Undefined when there is no schema for it, or it does not fit
 */
export function parseByStatus<T>(schemas: Readonly<Record<string, z.ZodMiniType<T>>>, value: unknown): T | undefined {
  const status = memberOf(value, 'status')
  const schema = typeof status === 'string' && Object.hasOwn(schemas, status) ? schemas[status] : undefined
  return schema === undefined ? undefined : parseWire(schema, value).data
}

/** No schema is deeper. Hostile JSON may be deep enough to exhaust the stack. */
const MAX_DEPTH = 8

function withoutNulls(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1))
  const present = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(present.map(([key, member]) => [key, withoutNulls(member, depth + 1)]))
}
