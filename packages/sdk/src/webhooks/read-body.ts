import { type Clock, startTimer } from '../clock.ts'
import { isModelRunError } from '../errors/guards.ts'
import { MAX_BODY_MS, MAX_WEBHOOK_BYTES, refuseEncoded, saysTooLarge, tooLarge, unusableBody } from './webhook-body.ts'

type Chunk = Uint8Array | string

interface ChunkSource {
  /** The next chunk, as the readers of web streams and the iterators of Node's streams give it. */
  next: () => Promise<{ done?: boolean | undefined; value?: Chunk | undefined }>
  clock: Clock
  /** True: a body that is too large is read to its end, and thrown away. */
  readsToEnd: boolean
}

const LATE = Symbol('late')

/**
 * Reads a body of 256 KiB at most, for 3 s at most.
 *
 * @throws WebhookParseError
 */
async function readChunks({ next, clock, readsToEnd }: ChunkSource): Promise<Uint8Array> {
  const kept = collectBytes()
  let stopTimer = () => {}
  const late = new Promise<typeof LATE>((resolve) => {
    stopTimer = startTimer(clock, MAX_BODY_MS, () => resolve(LATE))
  })
  try {
    for (;;) {
      const step = await Promise.race([next(), late])
      if (step === LATE) {
        throw kept.isTooLarge ? tooLarge() : unusableBody(`it was not here within ${MAX_BODY_MS} ms`, 408)
      }
      if (step.done) break
      if (step.value !== undefined) kept.add(step.value)
      if (kept.isTooLarge && !readsToEnd) break
    }
  } finally {
    stopTimer()
  }
  if (kept.isTooLarge) throw tooLarge()
  return kept.bytes()
}

function collectBytes() {
  const chunks: Uint8Array[] = []
  const encoder = new TextEncoder()
  let byteCount = 0
  return {
    get isTooLarge() {
      return byteCount > MAX_WEBHOOK_BYTES
    },
    add: (chunk: Chunk) => {
      const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
      byteCount += bytes.byteLength
      if (byteCount <= MAX_WEBHOOK_BYTES) chunks.push(bytes)
      else chunks.length = 0
    },
    bytes: () => {
      const joined = new Uint8Array(byteCount)
      let offset = 0
      for (const chunk of chunks) {
        joined.set(chunk, offset)
        offset += chunk.byteLength
      }
      return joined
    },
  }
}

/**
 * The bytes of a web-standard request.
 *
 * @throws WebhookParseError when the body was read before, is packed, too large or too slow, or breaks off
 */
export async function readRequest(request: Request, clock: Clock): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) {
    throw unusableBody(
      'the body of the request has been read already: pass the value that your body parser made of it, or a new ' +
        'Request of the text that you read',
    )
  }
  // Request classes of some frameworks have no headers, or other ones.
  const header = (name: string) => request.headers?.get?.(name)
  refuseEncoded({ contentEncoding: header('content-encoding') })
  if (saysTooLarge({ contentLength: header('content-length') })) throw tooLarge()
  const reader = request.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  try {
    return await readChunks({ next: () => reader.read(), clock, readsToEnd: false })
  } catch (error) {
    throw asUnusable(error)
  } finally {
    // Ends a sender that has not ended; one that has is not affected.
    reader.cancel().catch(() => {})
  }
}

/**
 * The bytes of a stream of Node. One that is too large is read on and thrown away: leaving it would destroy the
 * connection, and with it the answer.
 *
 * @throws WebhookParseError
 */
export async function readNodeStream(stream: AsyncIterable<Chunk>, clock: Clock): Promise<Uint8Array> {
  const iterator = stream[Symbol.asyncIterator]()
  try {
    return await readChunks({ next: () => iterator.next(), clock, readsToEnd: true })
  } catch (error) {
    throw asUnusable(error)
  }
}

function asUnusable(error: unknown): Error {
  return isModelRunError(error) ? error : unusableBody('the connection broke before its end')
}
