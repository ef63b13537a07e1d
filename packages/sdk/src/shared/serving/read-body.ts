import { checkEach, collectBytes, hasMethods, needs } from '@modelrun/kit'
import { type Clock, startTimer } from '../clock.ts'

type Chunk = Uint8Array | string

interface ChunkSource {
  /** The next chunk, as the readers of web streams and the iterators of Node's streams give it. */
  next: () => Promise<{ done?: boolean | undefined; value?: Chunk | undefined }>
  clock: Clock
  rules: BodyRules
  /** True: a body that is too large is read to its end, and thrown away. */
  readsToEnd: boolean
}

/** Reads a body within the limits of size and time. @throws What the rules make of a problem */
async function readChunks({ next, clock, rules, readsToEnd }: ChunkSource): Promise<Uint8Array> {
  const kept = collectBytes(rules.maxBytes)
  let isOver = false
  let stopTimer = () => {}
  const late = new Promise<never>((_, reject) => {
    stopTimer = startTimer(clock, rules.maxMs, () => {
      reject(kept.isTooLarge ? tooLarge(rules) : rules.unusable(`it was not here within ${rules.maxMs} ms`, 'late'))
    })
  })
  const broken = () => {
    throw rules.unusable('the connection broke before its end', 'unusable')
  }
  const read = async () => {
    while (!isOver) {
      const { done, value } = await next().catch(broken)
      if (done) return
      if (value !== undefined) kept.add(value)
      if (kept.isTooLarge && !readsToEnd) return
    }
  }
  try {
    // One race for the whole body: a race for each chunk would keep the chunk as long as the timer runs.
    await Promise.race([read(), late])
  } finally {
    isOver = true
    stopTimer()
  }
  if (kept.isTooLarge) throw tooLarge(rules)
  return kept.bytes()
}

const request = /* @__PURE__ */ needs(
  'a web-standard Request (for requests of Node and Express there is `node()`)',
  (value) => hasMethods(value, 'arrayBuffer'),
)

/** @throws ConfigurationError for requests of Node: they would get no response */
export function checkWebRequest(place: string, given: unknown): void {
  checkEach(place, { request: given }, { request })
}

/**
 * The bytes of a web-standard request.
 *
 * @throws What the rules make of a body that was read before, is compressed, too large or too slow, or breaks off
 */
export async function readRequest(request: Request, clock: Clock, rules: BodyRules): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) {
    throw rules.unusable(
      'the body of the request has been read already: pass what a body parser made of it, or a new Request',
      'unusable',
    )
  }
  // Request classes of some frameworks have no headers, or other ones.
  const header = (name: string) => request.headers?.get?.(name)
  rejectEncoded(rules, header('content-encoding'))
  rejectLength(rules, header('content-length'))
  const reader = request.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  try {
    return await readChunks({ next: () => reader.read(), clock, rules, readsToEnd: false })
  } finally {
    // Cancels the rest of the stream. Has no effect after its end.
    reader.cancel().catch(() => {})
  }
}

/**
 * The bytes of a stream of Node. One that is too large is read on and thrown away: leaving it would destroy the
 * connection, and with it the response.
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

export type BodyProblem = 'unusable' | 'late' | 'too_large'

export interface BodyRules {
  maxBytes: number
  /** Longest time for which a body may be on its way, in milliseconds. */
  maxMs: number
  /** The error for a body that cannot be used. `problem` is the end of a sentence about the body. */
  unusable(problem: string, kind: BodyProblem): Error
}

/** The error for a body of more than `maxBytes`. */
export function tooLarge(rules: BodyRules): Error {
  return rules.unusable(`it is larger than ${rules.maxBytes} bytes`, 'too_large')
}

/** Rejects a body that announces more than `maxBytes`, before it is read. @throws What `rules` make of the problem */
export function rejectLength(rules: BodyRules, contentLength: string | null | undefined): void {
  if (Number(contentLength) > rules.maxBytes) throw tooLarge(rules)
}

/**
 * Rejects a compressed body: small bodies that unpack to huge ones are a way to exhaust a receiver.
 *
 * @throws What `rules` make of the problem
 */
export function rejectEncoded(rules: BodyRules, contentEncoding: string | null | undefined): void {
  if (!contentEncoding || contentEncoding.trim().toLowerCase() === 'identity') return
  const name = JSON.stringify(contentEncoding.slice(0, 40))
  throw rules.unusable(
    `its content-encoding is ${name}. Send it without, or unpack it before it comes here`,
    'unusable',
  )
}
