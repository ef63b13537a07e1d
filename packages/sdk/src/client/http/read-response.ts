import { type ErrorDetail, JOB_STATUSES, type Output } from '@modelrun/contract'
import { isRecord, memberOf, stringIn, tryParseJson } from '@modelrun/kit'
import { abortable } from '../../shared/clock.ts'
import { type ReceivedResponse, UnreadableResponse } from './operation.ts'

/** Responses of the service are small JSON documents. A larger body is from something else. */
const MAX_BODY_BYTES = 10 * 1024 * 1024

export type BodyText = Pick<ReceivedResponse, 'text' | 'isCut' | 'problem'>

/** Reads a whole response. `redact` removes the API key from what may be printed. Never rejects. */
export async function receive(
  response: Response,
  signal: AbortSignal,
  redact: (text: string) => string,
): Promise<ReceivedResponse> {
  const { text, isCut, problem } = await readBody(response, signal)
  const requestId = response.headers.get('x-request-id')
  return {
    isCut,
    problem: problem ?? findExcess(text),
    status: response.status,
    text: redact(text),
    // Headers may be a Map.
    requestId: requestId ? redact(String(requestId)) : undefined,
    response,
  }
}

/** True for what can be read as a response: that of any library, not what a `fetch` has made up. */
export function isResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null) return false
  const { status, headers, body, bodyUsed, text } = value as Partial<Response>
  const isReadable = body === null || bodyUsed || typeof (body?.getReader ?? text) === 'function'
  return Number.isInteger(status) && typeof headers?.get === 'function' && isReadable
}

/** The problem of a body that code of the caller has read. */
export const IS_READ =
  'its body has been read already, by the option `fetch` or a hook; they must read a `response.clone()`'

const TOO_LARGE =
  'the body is larger than 10 MiB, which is the most that the client reads; another HTTP client can read it'

/**
 * Reads a body chunk by chunk. The part before a broken connection, a time limit or an abort is not lost: it may hold the
 * id of a job that was paid for. Settles at once when the signal aborts. Never rejects.
 */
export async function readBody(response: Response, signal: AbortSignal): Promise<BodyText> {
  if (response.bodyUsed || response.body?.locked) return { text: '', isCut: false, problem: IS_READ }
  if (response.body === null) return { text: '', isCut: false }
  return response.body === undefined ? await readText(response, signal) : await readStream(response.body, signal)
}

async function readStream(body: ReadableStream<Uint8Array<ArrayBuffer>>, signal: AbortSignal): Promise<BodyText> {
  const reader = body.getReader()
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
      const bytes = await toBytes(chunk.value)
      byteCount += bytes.byteLength
      if (byteCount > MAX_BODY_BYTES) break
      chunks.push(bytes)
    }
  } catch {
    // Cut: by the connection's end, or by the signal.
  } finally {
    signal.removeEventListener('abort', stop)
  }
  // Frees the connection.
  stop()
  // A character that the cut has broken is left out.
  const text = new TextDecoder().decode(joined(chunks), { stream: true })
  return byteCount > MAX_BODY_BYTES ? { text, isCut: false, problem: TOO_LARGE } : { text, isCut: true }
}

/** A chunk of a stream. Those of some libraries are buffers, other views, or strings. */
export async function toBytes(chunk: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return chunk instanceof Uint8Array ? chunk : new Uint8Array(await new Response(chunk).arrayBuffer())
}

/** For a `fetch` whose responses have no stream, such as that of React Native. */
async function readText(response: Response, signal: AbortSignal): Promise<BodyText> {
  try {
    const text = await abortable(Promise.resolve(response.text()), signal)
    return text.length > MAX_BODY_BYTES ? { text: '', isCut: false, problem: TOO_LARGE } : { text, isCut: false }
  } catch {
    return { text: '', isCut: true }
  }
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

/** More values, or deeper ones, than responses have: parsing them takes seconds, or exhausts the stack of a program that prints them. */
const MAX_VALUES = 50_000
const MAX_DEPTH = 500

/** Why a body would take longer to parse than its size deserves. One pass over its characters, without a copy. */
function findExcess(text: string): string | undefined {
  let values = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // A quote.
        at = endOfString(text, at)
        break
      case 0x2c: // A comma, and what `NaN` and `Infinity` have outside of strings.
      case 0x49:
      case 0x4e:
        values++
        break
      case 0x5b: // Brackets that open.
      case 0x7b:
        values++
        depth++
        break
      case 0x5d: // Brackets that close.
      case 0x7d:
        depth--
    }
    if (depth > MAX_DEPTH) return `the body is nested deeper than ${MAX_DEPTH} levels`
    if (values > MAX_VALUES) return `the body has more than ${MAX_VALUES} values`
  }
  return undefined
}

/** The index of the quote that ends a JSON string; the length of the text when there is none. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote
  }
  return text.length
}

/** The value of a JSON body, which is parsed once. Undefined when there is none. */
export function jsonIn(received: ReceivedResponse): unknown {
  received.parsed ??= { value: parseText(received) }
  return received.parsed.value
}

/** A list of one response is that response. */
export function only(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

/** An object or a list that was cut is not JSON, so one that is has come whole, whatever its `content-length` says. */
function parseText({ text, isCut, problem }: ReceivedResponse): unknown {
  const value = problem === undefined ? parseLoosely(text) : undefined
  return isCut && typeof value !== 'object' ? undefined : value
}

const MAX_BEHIND = 1_000

/**
 * Parses JSON, also with a few characters behind it, such as the comment of a cache, and that of Python, which writes `NaN` and
 * `Infinity`: they become null. Undefined for what is not JSON.
 */
export function parseLoosely(text: string): unknown {
  const value = tryParseJson(text)
  if (value !== undefined) return value
  const end = text.lastIndexOf('}') + 1
  const whole = end > text.length - MAX_BEHIND ? text.slice(0, end || text.length) : text
  const plain = /NaN|Infinity/.test(whole) ? withoutNaN(whole) : whole
  return plain === text ? undefined : tryParseJson(plain)
}

function withoutNaN(text: string): string {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const start = quote === -1 ? text.length : quote
    const end = endOfString(text, start) + 1
    parts.push(text.slice(at, start).replace(/-?\b(NaN|Infinity)\b/g, 'null'), text.slice(start, end))
    at = end
  }
  return parts.join('')
}

/**
 * The service has two words for one outcome, `completed` and `succeeded` (section 3). Both become `succeeded` here, in
 * every response and delivery: a client that waited for the other word would lose a paid result.
 */
export function asKnownStatus(status: string): string {
  const word = status.trim().toLowerCase()
  if (word === 'completed') return 'succeeded'
  return (JOB_STATUSES as readonly string[]).includes(word) ? word : status
}

/**
 * What a url, a log line and a key of every database can hold. `.` and `..` would change the path of a url. The ids of a proxy have
 * those of the service, of any of these characters, within them.
 */
const JOB_ID = /^(?!\.{1,2}$)(?:[^\p{Cc}\p{Cs}]{1,500}|v1~[\w~-]{1,4000})$/u

/**
 * The job id of a response or a delivery, when it can be polled and stored. An integer is taken as text, unless JSON may have
 * rounded it: that would be the id of another job.
 */
export function toJobId(value: unknown): string | undefined {
  const text = Number.isSafeInteger(value) ? String(value) : value
  return typeof text === 'string' && JOB_ID.test(text) ? text : undefined
}

/**
 * The output of a job whose items can be used; one item may come without a list. The specification leaves their types open (section
 * 2.5), and text may come without a url: it was paid for. `save` and `download` check each item.
 */
export function toOutput(value: unknown): Output | undefined {
  const items = memberOf(value, 'items')
  // `save` and `download` check the rest.
  if (Array.isArray(items)) return value as Output
  return isRecord(value) && isRecord(items) ? ({ ...value, items: [items] } as unknown as Output) : undefined
}

/** The error in a response, when its body is an error body of the service (section 7). */
export function errorDetailIn(received: ReceivedResponse): ErrorDetail | undefined {
  const error = memberOf(jsonIn(received), 'error')
  const code = stringIn(error, 'code')
  const message = stringIn(error, 'message')
  return isRecord(error) && code !== undefined && message !== undefined ? { ...error, code, message } : undefined
}

/** The value in the body of a response. @throws UnreadableResponse when it is cut, empty or not JSON */
export function parseJson(received: ReceivedResponse): unknown {
  const value = jsonIn(received)
  if (value === undefined) throw new UnreadableResponse(describeNoJson(received))
  return value
}

function describeNoJson({ text, isCut, problem }: ReceivedResponse): string {
  if (problem !== undefined) return problem
  if (isCut) return `the connection ended after ${text.length} characters of the body`
  if (text.trim() === '') return 'the body is empty'
  return `the body is not JSON; it starts with ${JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)}`
}

/** The error for a JSON body that is not what was asked for. `pointer`: a JSON pointer to the member that is wrong. */
export function wrongShape(pointer: string, wanted: string): UnreadableResponse {
  return new UnreadableResponse(`the body has a wrong shape at ${pointer || 'its root'}: it is not ${wanted}`)
}
