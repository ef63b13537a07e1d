import { tryParseJson } from '@modelrun/kit'
import { sleep } from '../clock.ts'
import type { Exchange, ExchangeLog } from '../exchange.ts'

/** Receives the service's webhook deliveries, for instance a port that a public URL forwards to. */
export interface WebhookReceiver {
  /** Public URL of the receiver; the suite appends paths. */
  readonly url: string
  /** Registers the handler of all requests. Called once, when the suite starts. */
  onRequest(handler: (request: Request) => Promise<Response>): void
}

/** A delivery that arrived. */
export interface Delivery {
  method: string
  url: string
  headers: Headers
  /** `undefined` when the body is not JSON. */
  json: unknown
  exchange: Exchange
}

/** The response of an endpoint. `silent` responds after the receiver's time limit of 10 s (section 6, rule 1). */
export type EndpointBehavior = keyof typeof STATUSES

const STATUSES = {
  accept: 200,
  reject: 500,
  miss: 404,
  silent: 200,
  redirect: 307,
  gone: 410,
  limited: 429,
  busy: 503,
} as const
export const BEHAVIORS = Object.keys(STATUSES) as EndpointBehavior[] // the keys of the constant

/** Each is as good as another one (section 6, rule 1); they take turns. */
const ACCEPTED = [200, 204, 202, 201]

/** A unique URL for the deliveries of one run. */
export interface WebhookEndpoint {
  readonly url: string
  readonly behavior: EndpointBehavior
  /** Of the response. */
  readonly status: number
  readonly deliveries: Delivery[]
}

/** Receivers put context into the query, so it must arrive unchanged. */
const QUERY = 'conformance=1&signed=a%2Bb%3D%3D'

/** Longer than the receiver's time limit. */
export const SILENCE_MS = 11_000

/** Creates endpoints, and stores each delivery with its endpoint. */
export class WebhookEndpoints {
  readonly #receiver: WebhookReceiver
  readonly #log: ExchangeLog
  readonly #endpoints = new Map<string, WebhookEndpoint>()

  constructor(receiver: WebhookReceiver, log: ExchangeLog) {
    this.#receiver = receiver
    this.#log = log
    receiver.onRequest((request) => this.#receive(request))
  }

  open(behavior: EndpointBehavior): WebhookEndpoint {
    // Random, because deliveries are not signed.
    const name = crypto.randomUUID()
    const url = `${this.#receiver.url.replace(/\/+$/, '')}/${name}?${QUERY}`
    const status = behavior === 'accept' ? ACCEPTED[this.#endpoints.size % ACCEPTED.length] : STATUSES[behavior]
    const endpoint: WebhookEndpoint = { url, behavior, status: status ?? 200, deliveries: [] }
    this.#endpoints.set(name, endpoint)
    return endpoint
  }

  get opened(): readonly WebhookEndpoint[] {
    return [...this.#endpoints.values()]
  }

  async #receive(request: Request): Promise<Response> {
    const opened = this.#endpoints.get(new URL(request.url).pathname.split('/').at(-1) ?? '')
    if (opened === undefined) return new Response(null, { status: 404 })
    const { clock, redactor } = this.#log
    const startedAt = clock.now()
    const text = await request.text()
    const { method, headers } = request
    const recorded = this.#log.start('received', { method, url: redactor.url(request.url), headers, body: text })
    opened.deliveries.push({ method, url: request.url, headers, json: tryParseJson(text), exchange: recorded })
    if (opened.behavior === 'silent') await sleep(clock, SILENCE_MS)
    const status = opened.status
    recorded.response = { status, headers: {}, body: '' }
    recorded.durationMs = clock.now() - startedAt
    // To nowhere: whether a service follows is open.
    const location = opened.behavior === 'redirect' ? { location: `${new URL(opened.url).pathname}-moved` } : {}
    return new Response(null, { status, headers: location })
  }
}
