import * as z from 'zod/mini'
import { type ReceivedResponse, UnreadableResponse } from './operation.ts'

/** Responses of the service are small JSON documents. A larger body is from something else. */
const MAX_BODY_BYTES = 10 * 1024 * 1024

/** The text of a body, or the received part of it. */
export interface BodyText {
  text: string
  isCut: boolean
}

/**
 * Reads a body chunk by chunk. The part before a broken connection, a time limit or an abort is not lost: it may hold the
 * id of a job that was paid for. Settles at once when the signal aborts. Never rejects.
 */
export async function readBody(response: Response, signal: AbortSignal): Promise<BodyText> {
  if (response.body === null) return { text: '', isCut: false }
  const reader = response.body.getReader()
  // Ends the pending read, also when the body ignores it.
  const stop = () => void reader.cancel().catch(() => {})
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop)
  const decoder = new TextDecoder()
  let text = ''
  let byteCount = 0
  try {
    for (;;) {
      const chunk = await reader.read()
      if (chunk.done && signal.aborted) break
      if (chunk.done) return { text: text + decoder.decode(), isCut: false }
      byteCount += chunk.value.byteLength
      if (byteCount > MAX_BODY_BYTES) break
      text += decoder.decode(chunk.value, { stream: true })
    }
  } catch {
    // Cut: by the connection's end, or by the signal.
  } finally {
    signal.removeEventListener('abort', stop)
  }
  // Frees the connection.
  stop()
  return { text, isCut: true }
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

/** The value of a JSON text, or undefined. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value in the body of a response. @throws UnreadableResponse when it is cut, empty or not JSON */
export function parseJson({ text, isCut }: ReceivedResponse): unknown {
  if (isCut) throw new UnreadableResponse(`the connection ended after ${text.length} characters of the body`)
  if (text.trim() === '') throw new UnreadableResponse('the body is empty')
  const value = tryParseJson(text)
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
  const checked = z.safeParse(schema, value)
  if (checked.success) return checked
  const again = z.safeParse(schema, withoutNulls(value))
  return again.success ? again : checked
}

/**
 * Checks a value by the schema for its `status`. Does the same as `z.discriminatedUnion` for a tenth of its size.
 *
 * @returns Undefined when there is no schema for it, or it does not fit
 */
export function parseByStatus<T>(schemas: Readonly<Record<string, z.ZodMiniType<T>>>, value: unknown): T | undefined {
  const status: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'status') : undefined
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

/** A path as a JSON pointer (RFC 6901), e.g. `/data/items/0`; empty for the root. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The service's id of a request. */
export function requestIdOf(response: Response): string | undefined {
  return response.headers.get('x-request-id') ?? undefined
}
