import { failedDeliverySchema, outputSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { parseByStatus } from '../parse-wire.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** What the token in the address of a delivery is worth. `expired`: it is genuine, and a hint only. */
type TokenState = 'none' | 'genuine' | 'expired'

/** What is kept of a delivery until it is handled. */
export interface StoredDelivery {
  /** `poll`: the event is what the service said when it was asked. */
  source: 'webhook' | 'poll'
  token: TokenState
  /** The reference in its token. */
  ref?: string | undefined
  event: WebhookEvent
}

/** What an inbox keeps with a job or an intent. */
export interface StoredContext {
  modelId?: string | undefined
  /** The user's own JSON. */
  context?: unknown
  /** True for a run that is about to be sent: its silence is an alarm. */
  isIntent?: true | undefined
}

// Of zod, only what the client brings already.
const deliverySchema = /* @__PURE__ */ (() =>
  z.object({
    source: z.literal(['webhook', 'poll']),
    token: z.literal(['none', 'genuine', 'expired']),
    ref: z.optional(z.string()),
    event: z.unknown(),
  }))()

const contextSchema = /* @__PURE__ */ (() =>
  z.object({
    modelId: z.optional(z.string()),
    context: z.optional(z.unknown()),
    isIntent: z.optional(z.literal(true)),
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

/** Reads what a store gave back: an older version, or somebody else, may have written it. Undefined: unreadable. */
export function readStoredDelivery(payload: unknown): StoredDelivery | undefined {
  const { data } = z.safeParse(deliverySchema, payload)
  const event = parseByStatus<WebhookEvent>(EVENTS_BY_STATUS, data?.event)
  return data === undefined || event === undefined ? undefined : { ...data, event }
}

/** Reads what a store gave back. Undefined: nobody gave a context, so the record was made by its delivery. */
export function readStoredContext(value: unknown): StoredContext | undefined {
  return z.safeParse(contextSchema, value).data
}
