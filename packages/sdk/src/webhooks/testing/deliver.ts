import type { DeliveryBody } from './event-fixtures.ts'

/** Where to deliver: an address, or whatever takes a web-standard request: `inbox.handle`, a route, `app.fetch`, `fetch`. */
export type DeliveryTarget = string | URL | ((request: Request) => Response | Promise<Response>)

/** What is delivered, how often, and in which order. */
export interface DeliverOptions {
  /** One body or several, as the service sends them; text is sent as it is, for instance to test what malformed JSON does. */
  events: DeliveryBody | string | readonly (DeliveryBody | string)[]
  /** How many more times each event is delivered (section 6, rule 3). Default 0. */
  duplicates?: number | undefined
  /** All at once, instead of each after the answer to the one before. Default false. */
  concurrent?: boolean | undefined
  /** Shuffles the deliveries, always alike for the same number. Default: in the order given, duplicates follow at once. */
  seed?: number | undefined
  /**
   * Callback address of an event, for instance with a token of `inbox.callbackUrl()`. Default: the address that is
   * delivered to, or `https://app.example.com/webhooks`.
   */
  url?: string | ((event: DeliveryBody | string) => string | Promise<string>) | undefined
}

/** What came of a delivery. */
export interface DeliveryResponse {
  /** What was delivered. */
  event: DeliveryBody | string
  /** True when the service would count it as delivered: 2xx within 10 s (section 6, rule 1). */
  isDelivered: boolean
  /** Undefined: there was no answer. */
  status: number | undefined
  /** The body of the answer. */
  text: string
  /** Why there was no answer. */
  error?: unknown
  /** Milliseconds until the answer. */
  durationMs: number
}

const SAMPLE_URL = 'https://app.example.com/webhooks'

/** Section 6, rule 1. */
const MAX_ANSWER_MS = 10_000

/**
 * Delivers events as the service does: by POST, unsigned, and never again when that fails.
 *
 * @returns The answers, in the order in which the deliveries were sent
 *
 * @example
 * const [first, second] = await deliver(inbox.handle, { events: succeededEvent(), duplicates: 1, concurrent: true })
 */
export async function deliver(target: DeliveryTarget, options: DeliverOptions): Promise<DeliveryResponse[]> {
  const { events, duplicates = 0, concurrent = false, seed } = options
  const each = [events].flat()
  const sent = each.flatMap((event) => Array.from({ length: duplicates + 1 }, () => event))
  const ordered = seed === undefined ? sent : shuffled(sent, seed)
  if (concurrent) return await Promise.all(ordered.map((event) => deliverOne(target, event, options)))
  const answers: DeliveryResponse[] = []
  for (const event of ordered) answers.push(await deliverOne(target, event, options))
  return answers
}

async function deliverOne(
  target: DeliveryTarget,
  event: DeliveryBody | string,
  { url }: DeliverOptions,
): Promise<DeliveryResponse> {
  const handle = typeof target === 'function' ? target : fetch
  const address = (typeof url === 'function' ? await url(event) : url) ?? (handle === target ? SAMPLE_URL : `${target}`)
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const headers = { 'content-type': 'application/json' }
  const startedAt = performance.now()
  const elapsedMs = () => performance.now() - startedAt
  try {
    const response = await handle(new Request(address, { method: 'POST', headers, body, redirect: 'manual' }))
    const { status, ok } = response
    const text = await response.text()
    const durationMs = elapsedMs()
    return { event, isDelivered: ok && durationMs <= MAX_ANSWER_MS, status, text, durationMs }
  } catch (error) {
    return { event, isDelivered: false, status: undefined, text: '', error, durationMs: elapsedMs() }
  }
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = createRandom(seed)
  return list
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

/** Numbers from 0 up to 1, always the same for a seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
