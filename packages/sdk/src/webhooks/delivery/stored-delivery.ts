import { failedDeliverySchema, outputSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { parseByStatus } from '../../parse-wire.ts'
import type { WebhookEvent } from '../webhook-event.ts'

/** The token in the URL of a delivery. `expired`: it is genuine, and only a hint. */
type TokenState = 'none' | 'genuine' | 'expired'

/** What is kept of a delivery until it is handled. */
export interface StoredDelivery {
  /** `poll`: the event is what the service said when it was asked. */
  source: 'webhook' | 'poll'
  token: TokenState
  /** The reference in its token. */
  ref?: string | undefined
  event: WebhookEvent
  /** True when the event is what the service says, although a delivery brought it. */
  isConfirmed?: true | undefined
  /** When it was received: milliseconds since 1970, by the clock of the process. */
  receivedAt: number
}

/** What an inbox keeps with an expected job or a prepared run. */
export interface StoredContext {
  modelId?: string | undefined
  /** The reference in the callback URL of an expected job, when it has one of its own. */
  ref?: string | undefined
  /** The user's own JSON. */
  context?: unknown
  /** True for a run that is about to be sent: when nothing is heard of it, that is an alarm. */
  isPrepared?: true | undefined
  /** When it was noted: milliseconds since 1970, by the clock of the process. */
  notedAt: number
}

// Of zod, only what the client brings already.
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

/** Reads what an engine gave back: an older version may have written it. Undefined: unreadable. */
export function readStoredDelivery(payload: unknown): StoredDelivery | undefined {
  const { data } = z.safeParse(deliverySchema, payload)
  const event = parseByStatus<WebhookEvent>(EVENTS_BY_STATUS, data?.event)
  return data === undefined || event === undefined ? undefined : { ...data, event }
}

/** Reads what an engine gave back. Undefined: unreadable, or nothing was there. */
export function readStoredContext(value: unknown): StoredContext | undefined {
  return z.safeParse(contextSchema, value).data
}
