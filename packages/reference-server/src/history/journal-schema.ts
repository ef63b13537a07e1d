import { JOB_STATUSES } from '@modelrun/contract'
import * as z from 'zod/mini'
import { deliveryRecordSchema, headersSchema } from '../domain/delivery-schema.ts'
import type { DeliveryEntry, JobEntry, NoteEntry, RequestEntry } from './journal-entry.ts'

const text = /* @__PURE__ */ z.optional(z.string())
const base = { at: /* @__PURE__ */ z.number(), key: text }

/** Each kind of entry of the journal. */
export const JOURNAL_SCHEMAS = /* @__PURE__ */ (() => ({
  request: z.object({
    kind: z.literal('request'),
    ...base,
    method: z.string(),
    path: z.string(),
    route: text,
    status: z.optional(z.int()),
    jobStatus: text,
    code: text,
    job_id: text,
    requestBody: text,
    responseBody: text,
    requestHeaders: z.optional(headersSchema),
    responseHeaders: z.optional(headersSchema),
    fault: text,
    durationMs: z.number(),
  }) satisfies z.ZodMiniType<RequestEntry>,
  job: z.object({
    kind: z.literal('job'),
    ...base,
    job_id: z.string(),
    model_id: z.string(),
    from: z.optional(z.enum(JOB_STATUSES)),
    to: z.enum(JOB_STATUSES),
    credits: z.int().check(z.nonnegative()),
    code: text,
    isCharged: z.optional(z.boolean()),
  }) satisfies z.ZodMiniType<JobEntry>,
  delivery: z.object({
    kind: z.literal('delivery'),
    ...base,
    ...z.pick(deliveryRecordSchema, { job_id: true, url: true, outcome: true, status: true, reason: true }).shape,
    durationMs: z.number(),
  }) satisfies z.ZodMiniType<DeliveryEntry>,
  note: z.object({ kind: z.literal('note'), ...base, text: z.string() }) satisfies z.ZodMiniType<NoteEntry>,
}))()
