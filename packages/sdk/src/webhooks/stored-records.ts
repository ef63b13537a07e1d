import { failedDeliverySchema, outputSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { parseByStatus } from '../client/http/read-response.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Longer unknown statuses are cut: those that start with the same characters share a task. */
const MAX_STATUS_LENGTH = 50

/** Task id of a job's result: the job id, with `%`, `:` and `?` escaped. */
export function jobKey(jobId: string): string {
  return jobId.replace(/[%:?]/g, encodeURIComponent)
}

/**
 * Task id of an event. Success and failure share one id, so that a job has one result. An event of unknown status has an
 * id of its own, so that it does not hide the result that follows.
 */
export function eventKey(event: WebhookEvent): string {
  const key = jobKey(event.job_id)
  if (event.status !== 'unknown') return key
  const status = Array.from(event.reported_status ?? '').slice(0, MAX_STATUS_LENGTH)
  return `${key}?${jobKey(status.join(''))}`
}

/** Job id of a task id. */
export function jobIdOfKey(key: string): string {
  const [id = ''] = key.split('?')
  return id.replace(/%(25|3A|3F)/g, decodeURIComponent)
}

/** Data of the tasks of the queues `results` and `unverified`: a delivery, or the result that a poll found. */
export interface StoredDelivery {
  /** `poll`: the event is what the service responded to a poll. */
  source: 'webhook' | 'poll'
  /** The token in the callback URL. `expired`: the token is genuine and too old, so the service decides. */
  token: 'none' | 'genuine' | 'expired'
  /** The reference in the token. */
  ref?: string | undefined
  event: WebhookEvent
  /** True when the service has confirmed the event of a delivery. */
  isConfirmed?: true | undefined
  /** When the delivery was received: milliseconds since 1970, by the clock of the process. */
  receivedAt: number
}

/** Data of the tasks of the queues `expected`, `overdue` and `prepared`: what is known of a job before its result. */
export interface StoredContext {
  modelId?: string | undefined
  /** The reference in the callback URL of an expected job. */
  ref?: string | undefined
  /** The user's own JSON. */
  context?: unknown
  /** True for a run that is about to be sent: without a job, it is reported to `onUnconfirmedRun`. */
  isPrepared?: true | undefined
  /** When this was stored: milliseconds since 1970, by the clock of the process. */
  notedAt: number
}

// Uses only the parts of zod that the client uses, too.
const deliverySchema = /* @__PURE__ */ (() =>
  z.object({
    source: z.literal(['webhook', 'poll']),
    token: z.literal(['none', 'genuine', 'expired']),
    ref: z.optional(z.string()),
    event: z.unknown(),
    isConfirmed: z.optional(z.literal(true)),
    receivedAt: z.number(),
  }))()

const contextSchema = /* @__PURE__ */ (() =>
  z.object({
    modelId: z.optional(z.string()),
    ref: z.optional(z.string()),
    context: z.optional(z.unknown()),
    isPrepared: z.optional(z.literal(true)),
    notedAt: z.number(),
  }))()

const succeededSchema = /* @__PURE__ */ (() =>
  z.looseObject({
    job_id: z.string(),
    status: z.literal('succeeded'),
    output: outputSchema,
    credits_used: z.optional(z.number()),
    completed_at: z.optional(z.string()),
  }))()

const unknownSchema = /* @__PURE__ */ (() =>
  z.object({
    job_id: z.string(),
    status: z.literal('unknown'),
    reported_status: z.optional(z.string()),
    payload: z.looseObject({}),
  }))()

const EVENTS_BY_STATUS = { succeeded: succeededSchema, failed: failedDeliverySchema, unknown: unknownSchema }

/** Parses the data of a task, which an older version may have written. Returns undefined when it is not a delivery. */
export function readStoredDelivery(payload: unknown): StoredDelivery | undefined {
  const { data } = z.safeParse(deliverySchema, payload)
  const event = parseByStatus<WebhookEvent>(EVENTS_BY_STATUS, data?.event)
  return data === undefined || event === undefined ? undefined : { ...data, event }
}

/** Parses the data of a task. Returns undefined when it is not a context. */
export function readStoredContext(value: unknown): StoredContext | undefined {
  return z.safeParse(contextSchema, value).data
}
