import { type Clock, startTimer, systemClock } from '../clock.ts'
import { rejectEncoded, tooLarge } from '../serving/body-rules.ts'
import { fromBase64 } from '../signing/base64.ts'
import type { Delivery, Receive } from './delivery/receive-delivery.ts'
import { unusableBody, WEBHOOK_BODY, type WebhookBody } from './webhook-body.ts'

type Values<T> = Readonly<Record<string, T | undefined>> | null | undefined

/**
 * The part of an event that is used: of API Gateway (REST and HTTP APIs), of a function URL, and of a load balancer.
 * `body` is an object where a middleware has parsed it.
 */
export interface LambdaEvent {
  /** REST APIs and load balancers. */
  httpMethod?: string | undefined
  /** REST APIs and load balancers: the path. */
  path?: string | undefined
  /** REST APIs and load balancers: the last value of each query parameter. */
  queryStringParameters?: Values<string>
  /** REST APIs, and load balancers that send them so: all values of each query parameter. */
  multiValueQueryStringParameters?: Values<readonly string[]>
  /** REST APIs, and load balancers that send them so: all values of each header. */
  multiValueHeaders?: Values<readonly string[]>
  /** HTTP APIs and function URLs. */
  rawPath?: string | undefined
  /** HTTP APIs and function URLs: the query, without its question mark. */
  rawQueryString?: string | undefined
  /** What the event says of its request beyond path, headers and body. */
  requestContext?: LambdaRequestContext | undefined
  /** Of all. */
  headers?: Values<string>
  /** The body of the request, as text. */
  body?: string | object | null | undefined
  /** True when `body` is base64. */
  isBase64Encoded?: boolean | undefined
}

/** What the three kinds of event say of their request; only `http` is used. */
export interface LambdaRequestContext {
  /** HTTP APIs and function URLs: the HTTP method. */
  http?: { method?: string | undefined } | undefined
  /** REST APIs: the HTTP method. */
  httpMethod?: string | undefined
  /** Load balancers: their target group. */
  elb?: unknown
}

/** The part of the context that is used. */
export interface LambdaContext {
  /** Milliseconds until the function is stopped. */
  getRemainingTimeInMillis?: (() => number) | undefined
}

/** An answer that all of them take. */
export interface LambdaResponse {
  /** HTTP status. */
  statusCode: number
  /** One value for each header. */
  headers: Record<string, string>
  /** Set instead for a load balancer that sends its headers this way: it looks at nothing else then. */
  multiValueHeaders?: Record<string, string[]>
  /** The body, as text. */
  body: string
  /** The body is never base64. */
  isBase64Encoded: false
}

/** A handler of AWS Lambda. */
export type LambdaHandler = (event: LambdaEvent, context?: LambdaContext) => Promise<LambdaResponse>

/** The service waits 10 s for the answer (section 6, rule 1); the way there and back takes some of it. */
const MAX_RESPONSE_MS = 8_000

/** Kept free at the end of the function's own time limit. */
const RESERVE_MS = 500

/**
 * Carries a delivery from an event of Lambda to `receive`, and its answer back. A function is frozen when it has
 * answered, so the answer waits for the work: up to 8 s, or up to the time limit of the function. Work that takes longer
 * goes on when the function is called next, or is done again when its lock has run out: call `inbox.sweep()` on a
 * schedule.
 */
export function createLambdaHandler(receive: Receive, { clock = systemClock }: { clock?: Clock | undefined } = {}) {
  const handler: LambdaHandler = async (event, context) => {
    const leftMs = context?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY
    const work = trackWork(clock, Math.min(MAX_RESPONSE_MS, leftMs - RESERVE_MS))
    try {
      const response = await receive(toDelivery(event, work.waitUntil))
      await work.done()
      return await toResponse(response, event)
    } finally {
      work.stopTimer()
    }
  }
  return handler
}

/** The work that follows an answer, and the end of the time that there is for it. */
function trackWork(clock: Clock, limitMs: number) {
  const open = new Set<Promise<unknown>>()
  let stopTimer = () => {}
  const timeIsUp = new Promise<'up'>((resolve) => {
    stopTimer = startTimer(clock, limitMs, () => resolve('up'))
  })
  return {
    stopTimer: () => stopTimer(),
    waitUntil: (work: Promise<unknown>) => {
      const ended: Promise<unknown> = work.then(
        () => open.delete(ended),
        () => open.delete(ended),
      )
      open.add(ended)
    },
    done: async () => {
      while (open.size > 0) {
        if ((await Promise.race([Promise.all(open), timeIsUp])) === 'up') return
      }
    },
  }
}

function toDelivery(event: LambdaEvent, waitUntil: NonNullable<Delivery['waitUntil']>): Delivery {
  const query = event.rawQueryString ?? queryOf(event)
  const path = event.rawPath ?? event.path ?? '/'
  return {
    // Without one it is no event of HTTP, and a GET is refused with what is expected.
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
  // Four characters hold three bytes, and two of them may be padding. A large body is not decoded first.
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
