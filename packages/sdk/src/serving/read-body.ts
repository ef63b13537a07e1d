import { type Clock, startTimer } from '../clock.ts'
import { type BodyRules, rejectEncoded, tooLarge } from './body-rules.ts'

type Chunk = Uint8Array | string

interface ChunkSource {
  /** The next chunk, as the readers of web streams and the iterators of Node's streams give it. */
  next: () => Promise<{ done?: boolean | undefined; value?: Chunk | undefined }>
  clock: Clock
  rules: BodyRules
  /** True: a body that is too large is read to its end, and thrown away. */
  readsToEnd: boolean
}

const LATE = Symbol('late')

/** Reads a body within the limits of size and time. @throws What the rules make of a problem */
async function readChunks({ next, clock, rules, readsToEnd }: ChunkSource): Promise<Uint8Array> {
  const kept = collectBytes(rules.maxBytes)
  let stopTimer = () => {}
  const late = new Promise<typeof LATE>((resolve) => {
    stopTimer = startTimer(clock, rules.maxMs, () => resolve(LATE))
  })
  const broken = () => {
    throw rules.unusable('the connection broke before its end', 'unusable')
  }
  try {
    for (;;) {
      const step = await Promise.race([next(), late]).catch(broken)
      if (step === LATE) {
        throw kept.isTooLarge ? tooLarge(rules) : rules.unusable(`it was not here within ${rules.maxMs} ms`, 'late')
      }
      if (step.done) break
      if (step.value !== undefined) kept.add(step.value)
      if (kept.isTooLarge && !readsToEnd) break
    }
  } finally {
    stopTimer()
  }
  if (kept.isTooLarge) throw tooLarge(rules)
  return kept.bytes()
}

function collectBytes(maxBytes: number) {
  const chunks: Uint8Array[] = []
  const encoder = new TextEncoder()
  let byteCount = 0
  return {
    get isTooLarge() {
      return byteCount > maxBytes
    },
    add: (chunk: Chunk) => {
      const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
      byteCount += bytes.byteLength
      if (byteCount <= maxBytes) chunks.push(bytes)
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
 * @throws What the rules make of a body that was read before, is compressed, too large or too slow, or breaks off
 */
export async function readRequest(request: Request, clock: Clock, rules: BodyRules): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) {
    throw rules.unusable(
      'the body of the request has been read already: pass the value that your body parser made of it, or a new ' +
        'Request of the text that you read',
      'unusable',
    )
  }
  // Request classes of some frameworks have no headers, or other ones.
  const header = (name: string) => request.headers?.get?.(name)
  rejectEncoded(rules, header('content-encoding'))
  if (Number(header('content-length')) > rules.maxBytes) throw tooLarge(rules)
  const reader = request.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  try {
    return await readChunks({ next: () => reader.read(), clock, rules, readsToEnd: false })
  } finally {
    // Ends a sender that has not ended; one that has is not affected.
    reader.cancel().catch(() => {})
  }
}

/**
 * The bytes of a stream of Node. One that is too large is read on and thrown away: leaving it would destroy the
 * connection, and with it the answer.
 *
 * @throws What the rules make of a problem
 */
export async function readNodeStream(
  stream: AsyncIterable<Chunk>,
  clock: Clock,
  rules: BodyRules,
): Promise<Uint8Array> {
  const iterator = stream[Symbol.asyncIterator]()
  return await readChunks({ next: () => iterator.next(), clock, rules, readsToEnd: true })
}
