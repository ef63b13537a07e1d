import { type Clock, systemClock } from '../clock.ts'
import { rejectEncoded, tooLarge } from '../serving/read-body.ts'
import { fromBase64 } from '../signing/base64.ts'
import { withTimeLimit } from './delivery/keep-trying.ts'
import type { Delivery, Receive } from './delivery/receive-delivery.ts'
import { createTasks } from './inbox-core.ts'
import { unusableBody, WEBHOOK_BODY, type WebhookBody } from './webhook-body.ts'

type Values<T> = Readonly<Record<string, T | undefined>> | null | undefined

/**
 * The fields of an event that the inbox uses: from API Gateway (REST and HTTP APIs), a function URL, or a load balancer. `body`
 * is an object when a middleware has parsed it.
 */
export interface LambdaEvent {
  /** REST APIs and load balancers. */
  httpMethod?: string | undefined
  /** REST APIs and load balancers: the path. */
  path?: string | undefined
  /** REST APIs and load balancers: the last value of each query parameter. */
  queryStringParameters?: Values<string>
  /** REST APIs, and load balancers with multi-value headers: all values of each query parameter. */
  multiValueQueryStringParameters?: Values<readonly string[]>
  /** REST APIs, and load balancers with multi-value headers: all values of each header. */
  multiValueHeaders?: Values<readonly string[]>
  /** HTTP APIs and function URLs. */
  rawPath?: string | undefined
  /** HTTP APIs and function URLs: the query, without its question mark. */
  rawQueryString?: string | undefined
  /** Further fields of the request. */
  requestContext?: LambdaRequestContext | undefined
  /** The last value of each header. */
  headers?: Values<string>
  /** The body of the request, as text. */
  body?: string | object | null | undefined
  /** True when `body` is base64. */
  isBase64Encoded?: boolean | undefined
}

/** Further fields of the request. Only `http` is used. */
export interface LambdaRequestContext {
  /** HTTP APIs and function URLs: the HTTP method. */
  http?: { method?: string | undefined } | undefined
  /** REST APIs: the HTTP method. */
  httpMethod?: string | undefined
  /** Load balancers: their target group. */
  elb?: unknown
}

/** The part of the Lambda context that is used. */
export interface LambdaContext {
  /** Milliseconds until the function is stopped. */
  getRemainingTimeInMillis?: (() => number) | undefined
}

/** A response for all kinds of event. */
export interface LambdaResponse {
  /** HTTP status. */
  statusCode: number
  /** One value for each header. */
  headers: Record<string, string>
  /** For load balancers with multi-value headers, which ignore `headers`. */
  multiValueHeaders?: Record<string, string[]>
  /** The body, as text. */
  body: string
  /** The body is never base64. */
  isBase64Encoded: false
}

/** A handler of AWS Lambda. */
export type LambdaHandler = (event: LambdaEvent, context?: LambdaContext) => Promise<LambdaResponse>

/** The service waits 10 s for the response (section 6, rule 1), including the time on the network. */
const MAX_RESPONSE_MS = 8_000

/** Reserved at the end of the time limit of the function. */
const RESERVE_MS = 500

/**
 * Creates a Lambda handler that passes deliveries to `receive`. A function is frozen after its response, so the response waits
 * for the work: up to 8 s, or until 0.5 s before the time limit of the function. Longer work continues at the next call of the
 * function, or runs again after its lock has ended: call `inbox.sweep()` on a schedule.
 */
export function createLambdaHandler(receive: Receive, { clock = systemClock }: { clock?: Clock | undefined } = {}) {
  const handler: LambdaHandler = async (event, context) => {
    const leftMs = context?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY
    const endsAt = clock.now() + Math.min(MAX_RESPONSE_MS, leftMs - RESERVE_MS)
    const work = createTasks()
    const response = await receive(toDelivery(event, work.track))
    await withTimeLimit(work.whenIdle(), { clock, limitMs: endsAt - clock.now(), onLate: () => {} })
    return await toResponse(response, event)
  }
  return handler
}

function toDelivery(event: LambdaEvent, waitUntil: NonNullable<Delivery['waitUntil']>): Delivery {
  const query = event.rawQueryString ?? queryOf(event)
  const path = event.rawPath ?? event.path ?? '/'
  return {
    // An event without a method is not an HTTP event: it gets the response to a GET, 405.
    method: event.httpMethod ?? event.requestContext?.http?.method ?? 'GET',
    url: query === '' ? path : `${path}?${query}`,
    readBody: async () => readBody(event),
    waitUntil,
  }
}

function queryOf({ queryStringParameters: single, multiValueQueryStringParameters: multiple }: LambdaEvent): string {
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(multiple ?? single ?? {})) {
    for (const value of [values ?? []].flat()) query.append(name, value)
  }
  return query.toString()
}

function readBody(event: LambdaEvent): WebhookBody {
  const { body, isBase64Encoded } = event
  if (typeof body === 'object' && body !== null) return body
  if (!body) throw unusableBody('it is empty')
  rejectEncoded(WEBHOOK_BODY, findHeader(event, 'content-encoding'))
  if (!isBase64Encoded) return body
  // Four characters of base64 hold up to three bytes. Rejects a large body before it is decoded.
  if ((body.length / 4) * 3 - 2 > WEBHOOK_BODY.maxBytes) throw tooLarge(WEBHOOK_BODY)
  try {
    return fromBase64(body)
  } catch {
    throw unusableBody('it is not base64, as the event says')
  }
}

function findHeader({ headers, multiValueHeaders }: LambdaEvent, name: string): string | undefined {
  for (const [key, value] of Object.entries(headers ?? multiValueHeaders ?? {})) {
    if (key.toLowerCase() === name) return [value ?? []].flat().join(', ')
  }
  return undefined
}

async function toResponse(response: Response, event: LambdaEvent): Promise<LambdaResponse> {
  const headers = Object.fromEntries(response.headers)
  const isMultiValue = event.headers == null && event.multiValueHeaders != null
  return {
    statusCode: response.status,
    headers,
    ...(isMultiValue
      ? { multiValueHeaders: Object.fromEntries([...response.headers].map(([name, value]) => [name, [value]])) }
      : {}),
    body: await response.text(),
    isBase64Encoded: false,
  }
}
