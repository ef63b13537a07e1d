import {
  errorBodySchema,
  JOB_STATUSES,
  modelSummarySchema,
  outputSchema,
  PERMISSIONS,
  webhookDeliverySchema,
} from '@modelrun/contract'
import * as z from 'zod/mini'
import { scriptedOutcomeSchema } from '../../domain/scripted-outcome.ts'
import { scriptedWebhookSchema } from '../../domain/scripted-webhook.ts'
import { faultOptionsSchema } from '../../faults/fault-options.ts'

const count = z.int().check(z.minimum(0))
const status = z.enum(JOB_STATUSES)
const text = z.optional(z.string())

const header = z.array(z.string())

const delivery = z.object({
  job_id: z.string(),
  url: z.string(),
  outcome: z.enum(['delivered', 'rejected', 'timeout', 'network_error']),
  status: z.optional(z.int()),
  reason: text,
  response_headers: z.optional(z.array(header)),
  response_body: text,
  body: z.union([webhookDeliverySchema, z.object({ job_id: z.string(), status: z.literal('cancelled') })]),
  attempted_at_ms: z.number(),
  finished_at_ms: z.number(),
})

const addedFault = z.object({ id: z.string(), fault: faultOptionsSchema, used: count, unused: z.boolean() })

const apiKey = z.object({
  key: z.string(),
  live: z.boolean(),
  permissions: z.array(z.enum(PERMISSIONS)),
  allow_ips: z.optional(z.array(z.string())),
  revoked: z.boolean(),
  credits: z.object({ left: count, available: count }),
})

const everyEntry = { at_ms: z.number(), key: text, place: z.optional(count) }

const requestEntry = z.object({
  kind: z.literal('request'),
  ...everyEntry,
  method: z.string(),
  path: z.string(),
  route: text,
  status: z.optional(z.int()),
  job_status: text,
  code: text,
  job_id: text,
  request_body: text,
  response_body: text,
  request_headers: z.optional(z.array(header)),
  response_headers: z.optional(z.array(header)),
  hint: text,
  fault: text,
  duration_ms: z.number(),
})

const jobEntry = z.object({
  kind: z.literal('job'),
  ...everyEntry,
  job_id: z.string(),
  model_id: z.string(),
  from: z.optional(status),
  to: status,
  credits: count,
  code: text,
})

const deliveryEntry = z.object({
  kind: z.literal('delivery'),
  ...everyEntry,
  ...z.pick(delivery, { job_id: true, url: true, outcome: true, status: true, reason: true }).shape,
  duration_ms: z.number(),
})

const noteEntry = z.object({ kind: z.literal('note'), ...everyEntry, text: z.string() })

const places = { place: count, end_place: count }
const attempt = z.int().check(z.minimum(1))

const journalEntry = z.discriminatedUnion('kind', [requestEntry, jobEntry, deliveryEntry, noteEntry])

/** Of `input_schema` the OpenAPI document of the service says more. */
const model = z.object({
  ...modelSummarySchema.shape,
  pricing: z.object({ credits_per_run: count }),
  input_schema: z.looseObject({}),
})

const clock = z.object({ mode: z.string(), now_ms: z.number(), scale: z.optional(z.number()) })

const jobRow = z.object({
  job_id: z.string(),
  model_id: z.string(),
  key: z.string(),
  status,
  credits: count,
  charged: count,
  created_at_ms: z.number(),
  processing_at_ms: z.number(),
  ended_at_ms: z.optional(z.number()),
  ends_at_ms: z.optional(z.number()),
  code: text,
  message: text,
  text,
  webhook_url: text,
})

/** What the control API shows, by the name that the document gives it. */
export const COMPONENTS = {
  AddedFault: addedFault,
  ApiKey: apiKey,
  Changes: z.object({
    now_ms: z.number(),
    reset: z.boolean(),
    jobs: z.array(jobRow),
    entries: z.array(journalEntry),
    clock: z.partial(clock),
    keys: z.array(z.extend(apiKey, { faults: z.array(addedFault), webhook: z.optional(scriptedWebhookSchema) })),
    pending: z.array(
      z.object({
        job_id: z.string(),
        url: z.string(),
        status: z.string(),
        sent: count,
        deliveries: count,
        due_at_ms: z.optional(z.number()),
        held: z.boolean(),
      }),
    ),
  }),
  Clock: clock,
  Delivery: delivery,
  ErrorBody: errorBodySchema,
  Exchanges: z.object({
    now_ms: z.number(),
    job: jobRow,
    input: z.record(z.string(), z.unknown()),
    exchanges: z.array(
      z.discriminatedUnion('kind', [
        z.extend(requestEntry, { ...places, attempt }),
        z.extend(jobEntry, places),
        z.extend(deliveryEntry, {
          ...places,
          attempt,
          body: z.optional(delivery.shape.body),
          response_headers: delivery.shape.response_headers,
          response_body: text,
        }),
      ]),
    ),
  }),
  Fault: faultOptionsSchema,
  Fork: z.object({ id: z.string(), url: z.string(), dashboard_url: text }),
  ClockEvent: z.object({
    at_ms: z.number(),
    after_ms: z.number(),
    kind: z.enum(['job_ended', 'hold_ended', 'delivery_ended']),
    job_id: z.string(),
    text: z.string(),
  }),
  Job: z.object({
    job_id: z.string(),
    request_id: z.string(),
    model_id: z.string(),
    input: z.record(z.string(), z.unknown()),
    status,
    output: z.optional(outputSchema),
  }),
  JobRow: jobRow,
  JournalEntry: journalEntry,
  Model: model,
  Outcome: scriptedOutcomeSchema,
  Output: outputSchema,
  Report: z.object({
    is_clean: z.boolean(),
    unfinished_jobs: z.array(z.object({ job_id: z.string(), model_id: z.string(), status })),
    pending_webhooks: z.array(z.object({ job_id: z.string(), url: z.string() })),
    unused_faults: z.array(addedFault),
    unused_scripts: z.array(z.object({ model_id: z.string(), outcomes: count })),
    unmatched_requests: z.array(z.object({ method: z.string(), path: z.string(), status: z.int(), hint: text })),
    violations: z.array(z.string()),
    text: z.string(),
  }),
  Snapshot: z.looseObject({}),
  Webhook: scriptedWebhookSchema,
} satisfies Readonly<Record<string, z.ZodMiniType>>
