import { sleep, tryParseJson } from '@modelrun/kit'
import type { Exchange, ExchangeLog } from '../exchange.ts'

/** Receives the service's webhook deliveries, for instance a port that a public URL forwards to. */
export interface WebhookReceiver {
  /** Public URL of the receiver; the suite appends paths. */
  readonly url: string
  /** Registers the handler of all requests. Called once, when the suite starts. */
  onRequest(handler: (request: Request) => Promise<Response>): void
}

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

const STATUSES = { accept: 200, reject: 500, miss: 404, silent: 200 } as const

/** Each is as good as another one (section 6, rule 1); they take turns. */
const ACCEPTED = [200, 204, 202, 201]

/** A unique URL for the deliveries of one run. */
export interface WebhookEndpoint {
  readonly url: string
  readonly behavior: EndpointBehavior
  readonly status: number
  readonly deliveries: Delivery[]
}

/** Receivers put context into the query, so it must arrive unchanged. */
const QUERY = 'conformance=1&signed=a%2Bb%3D%3D'

/** Longer than the receiver's time limit. */
export const SILENCE_MS = 11_000

export type WebhookEndpoints = ReturnType<typeof createWebhookEndpoints>

export function createWebhookEndpoints(receiver: WebhookReceiver, log: ExchangeLog) {
  const opened: WebhookEndpoint[] = []
  receiver.onRequest(async (request) => {
    const endpoint = opened.find(({ url }) => nameIn(url) === nameIn(request.url))
    return endpoint === undefined ? new Response(null, { status: 404 }) : receive(endpoint, request, log)
  })
  return {
    opened: opened as readonly WebhookEndpoint[],
    open: (behavior: EndpointBehavior) => {
      // Random, because deliveries are not signed.
      const url = `${receiver.url.replace(/\/+$/, '')}/${crypto.randomUUID()}?${QUERY}`
      const status = behavior === 'accept' ? ACCEPTED[opened.length % ACCEPTED.length] : STATUSES[behavior]
      const endpoint: WebhookEndpoint = { url, behavior, status: status ?? 200, deliveries: [] }
      opened.push(endpoint)
      return endpoint
    },
  }
}

const nameIn = (url: string) => new URL(url).pathname.split('/').at(-1)

async function receive(endpoint: WebhookEndpoint, request: Request, { clock, redactor, start }: ExchangeLog) {
  const { deliveries, behavior, status } = endpoint
  const startedAt = clock.now()
  const text = await request.text()
  const { method, headers, url } = request
  const exchange = start('received', { method, url: redactor.url(url), headers, body: text })
  deliveries.push({ method, url, headers, json: tryParseJson(text), exchange })
  if (behavior === 'silent') await sleep(clock, SILENCE_MS)
  exchange.response = { status, headers: {}, body: '' }
  exchange.durationMs = clock.now() - startedAt
  return new Response(null, { status })
}
