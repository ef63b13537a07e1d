import { collectBytes } from '@modelrun/kit'
import { MAX_NESTING, nestingProblem, nestsDeeperThan } from '../shared/parse-shape.ts'
import { errorResponse } from './error-responses.ts'
import type { IncomingRequest, Reply } from './messages.ts'

export type JsonBody = { requestBody?: string | undefined } & (
  | { json: unknown; problem?: undefined }
  /** What is wrong with the body, or the response to one that is too large. */
  | { problem: string | Reply; json?: undefined }
)

const MAX_BODY_BYTES = 1024 * 1024

/** The problem of a body without a byte. */
export const EMPTY = 'Invalid body: it is empty. Send a JSON object.'

/** Reads a JSON body, whatever its content type. Never rejects. */
export async function readJson(request: IncomingRequest): Promise<JsonBody> {
  const bytes = await readBytes(request, MAX_BODY_BYTES)
  if (bytes === 'broken') return { problem: 'Invalid body: it broke off before its end.' }
  if (bytes !== 'too large') return parseJson(bytes)
  const message = `The body is larger than ${MAX_BODY_BYTES} bytes, the most that is read.`
  return { problem: errorResponse('PAYLOAD_TOO_LARGE', message) }
}

export function isJson(contentType: string | null): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}

async function readBytes(request: IncomingRequest, maxBytes: number): Promise<Uint8Array | 'too large' | 'broken'> {
  if (Number(request.headers.get('content-length')) > maxBytes) return 'too large'
  try {
    if (request.read !== undefined) return await request.read(maxBytes)
    // Some browsers do not show the body of a request as a stream.
    if (!request.body) return new Uint8Array(await request.arrayBuffer())
    return await readStream(request.body, maxBytes)
  } catch {
    return 'broken'
  }
}

async function readStream(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array | 'too large'> {
  const kept = collectBytes(maxBytes)
  const reader = body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    kept.add(part.value)
    if (kept.isTooLarge) {
      reader.cancel().catch(() => {})
      return 'too large'
    }
  }
  return kept.bytes()
}

function parseJson(bytes: Uint8Array): JsonBody {
  if (bytes.byteLength === 0) return { problem: EMPTY }
  const text = decodeText(bytes)
  if (text === undefined) return { problem: 'Invalid body: it is not valid UTF-8.' }
  try {
    const json: unknown = JSON.parse(text)
    if (!nestsDeeperThan(MAX_NESTING, json)) return { requestBody: text, json }
    return { requestBody: text, problem: `Invalid body: it ${nestingProblem()}.` }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { requestBody: text, problem: `Invalid body: it is not valid JSON: ${reason.slice(0, 200)}.` }
  }
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
