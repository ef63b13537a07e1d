import type * as z from 'zod/mini'
import { shownText } from '../history/journal/shown-text.ts'
import { MAX_NESTING, nestingProblem, nestsDeeperThan } from '../json-nesting.ts'
import { parseShape } from '../parse-shape.ts'
import { errorResponses } from './error-responses.ts'
import type { RequestTrace } from './request-trace.ts'

/** A body that could be read, or the answer that refuses it. */
export type BodyCheck<Value> = { ok: true; value: Value } | { ok: false; refusal: Response }

/** What reading a body tells about its request. */
type BodyTrace = Pick<RequestTrace, 'requestBody' | 'assumptions'>

/** Largest body that is read, in bytes. */
const MAX_BODY_BYTES = 1024 * 1024

const EMPTY = 'The body is empty. Send a JSON object.'

/**
 * Reads a JSON body, whatever its content type says. Never rejects.
 *
 * @param trace gets the beginning of the text
 * @returns what it means, what is wrong with it, or the response to one that is too large
 */
export async function readJson(request: Request, trace?: BodyTrace): Promise<{ json: unknown } | string | Response> {
  const bytes = await readBytes(request)
  if (bytes === 'too large') {
    return errorResponses.payloadTooLarge(`The body is larger than ${MAX_BODY_BYTES} bytes, the most that is read.`)
  }
  return bytes === 'broken' ? 'The body broke off before its end.' : parseJson(bytes, trace)
}

/**
 * Reads the body of a control request: JSON, whatever its content type says, and `{}` when it is empty. So `curl -X POST`
 * works, with and without `-d`. Never rejects.
 */
export async function readControlBody<Value>(
  request: Request,
  schema: z.ZodMiniType<Value>,
): Promise<BodyCheck<Value>> {
  const read = await readJson(request)
  if (read instanceof Response) return refused(read)
  if (read === EMPTY) return checkShape(schema, {})
  return typeof read === 'string' ? refused(errorResponses.invalid(read)) : checkShape(schema, read.json)
}

function checkShape<Value>(schema: z.ZodMiniType<Value>, value: unknown): BodyCheck<Value> {
  const checked = parseShape(schema, value)
  return checked.ok ? checked : refused(errorResponses.invalid(`The body is not right. ${checked.message}`))
}

function refused(refusal: Response): { ok: false; refusal: Response } {
  return { ok: false, refusal }
}

/** Whether a Content-Type says JSON. */
export function isJson(contentType: string | null): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

async function readBytes(request: Request): Promise<Uint8Array | 'too large' | 'broken'> {
  if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) return 'too large'
  try {
    // Some browsers do not show the body of a request as a stream.
    if (!request.body) return new Uint8Array(await request.arrayBuffer())
    return await readStream(request.body)
  } catch {
    return 'broken'
  }
}

async function readStream(body: ReadableStream<Uint8Array>): Promise<Uint8Array | 'too large'> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.byteLength
    if (length > MAX_BODY_BYTES) {
      reader.cancel().catch(() => {})
      return 'too large'
    }
    chunks.push(part.value)
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

/** What the JSON means, or what is wrong with it. */
function parseJson(bytes: Uint8Array, trace: BodyTrace = {}): { json: unknown } | string {
  if (bytes.byteLength === 0) return EMPTY
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    trace.requestBody = shownText(bytes, text)
    const json: unknown = JSON.parse(text)
    if (!nestsDeeperThan(MAX_NESTING, json)) return { json }
    trace.assumptions = ['deepestBody']
    return `The body ${nestingProblem()}.`
  } catch (error) {
    if (!(error instanceof SyntaxError)) return 'The body is not valid UTF-8.'
    return `The body is not valid JSON: ${error.message.slice(0, 200)}.`
  }
}
