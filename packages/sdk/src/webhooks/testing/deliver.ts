import { type Checks, count, flag, needs, readOptions, unchecked } from '@modelrun/kit'
import type { DeliveryBody } from './event-fixtures.ts'

/** Where to deliver: a URL, or a function that takes a web-standard request: `inbox.handle`, a route, `app.fetch`, `fetch`. */
export type DeliveryTarget = string | URL | ((request: Request) => Response | Promise<Response>)

/** Options of `deliver`. */
export interface DeliverOptions {
  /** One body or several, as the service sends them. Text is sent unchanged, for instance malformed JSON. */
  events: DeliveryBody | string | readonly (DeliveryBody | string)[]
  /** How many duplicates of each event are delivered (section 6, rule 3). Default 0. */
  duplicates?: number | undefined
  /** Sends all deliveries at once, instead of each after the response to the one before. Default false. */
  concurrent?: boolean | undefined
  /**
   * Callback URL of an event, for instance from `inbox.callbackUrl()`. Default: the target, or
   * `https://app.example.com/webhooks`.
   */
  url?: string | ((event: DeliveryBody | string) => string | Promise<string>) | undefined
}

/** Result of a delivery. */
export interface DeliveryResponse {
  /** The body that was delivered. */
  event: DeliveryBody | string
  /** Whether the service would count it as delivered: 2xx within 10 s (section 6, rule 1). */
  isDelivered: boolean
  /** HTTP status. Undefined without a response. */
  status: number | undefined
  /** The body of the response. */
  text: string
  /** Why there was no response. */
  error?: unknown
  /** Milliseconds until the response. */
  durationMs: number
}

const OPTIONS: Checks<DeliverOptions> = {
  events: needs('an event or a list of them', (value) => value !== undefined && value !== null),
  duplicates: count,
  concurrent: flag,
  url: unchecked,
}

const SAMPLE_URL = 'https://app.example.com/webhooks'

/** Section 6, rule 1. */
const MAX_RESPONSE_MS = 10_000

/**
 * Delivers events as the service does: by POST, unsigned, without retries.
 *
 * @returns the results, in the order in which the deliveries were sent
 * @throws ConfigurationError for wrong options
 *
 * @example
 * const [first, second] = await deliver(inbox.handle, { events: succeededEvent(), duplicates: 1, concurrent: true })
 */
export async function deliver(target: DeliveryTarget, options: DeliverOptions): Promise<DeliveryResponse[]> {
  const { events, duplicates = 0, concurrent = false } = readOptions('deliver', options, OPTIONS)
  const each = [events].flat()
  const sent = each.flatMap((event) => Array.from({ length: duplicates + 1 }, () => event))
  if (concurrent) return await Promise.all(sent.map((event) => deliverOne(target, event, options)))
  const responses: DeliveryResponse[] = []
  for (const event of sent) responses.push(await deliverOne(target, event, options))
  return responses
}

async function deliverOne(
  target: DeliveryTarget,
  event: DeliveryBody | string,
  { url }: DeliverOptions,
): Promise<DeliveryResponse> {
  const handle = typeof target === 'function' ? target : fetch
  const callbackUrl =
    (typeof url === 'function' ? await url(event) : url) ?? (handle === target ? SAMPLE_URL : `${target}`)
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const headers = { 'content-type': 'application/json' }
  const startedAt = performance.now()
  const elapsedMs = () => performance.now() - startedAt
  try {
    const response = await handle(new Request(callbackUrl, { method: 'POST', headers, body, redirect: 'manual' }))
    const { status, ok } = response
    const text = await response.text()
    const durationMs = elapsedMs()
    return { event, isDelivered: ok && durationMs <= MAX_RESPONSE_MS, status, text, durationMs }
  } catch (error) {
    return { event, isDelivered: false, status: undefined, text: '', error, durationMs: elapsedMs() }
  }
}
