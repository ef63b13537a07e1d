import {
  errorBodySchema,
  type InputSchema,
  JOB_STATUSES,
  modelSummarySchema,
  type Output,
  outputSchema,
  PERMISSIONS,
} from '@modelrun/contract'
import * as z from 'zod/mini'
import { deliveryRecordSchema } from '../domain/delivery.ts'
import { scriptedOutcomeSchema, scriptedWebhookSchema } from '../domain/scripted-outcome.ts'
import { faultOptionsSchema } from '../faults/fault-options.ts'
import { JOURNAL_SCHEMAS } from '../history/journal-entry.ts'
import { wireShape } from './wire-names.ts'

const count = z.int().check(z.minimum(0))
const status = z.enum(JOB_STATUSES)
const text = z.optional(z.string())
const listOf = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item))

// The types that the contract names, without its index signatures for members to come.
const output: z.ZodMiniType<Output> = outputSchema

const addedFault = z.object({ id: z.string(), fault: faultOptionsSchema, used: count, unused: z.boolean() })

const apiKey = z.object({
  key: z.string(),
  live: z.boolean(),
  permissions: listOf(z.enum(PERMISSIONS)),
  allow_ips: z.optional(listOf(z.string())),
  revoked: z.boolean(),
  credits: z.object({ left: count, available: count }),
})

const { request, job, delivery, note } = JOURNAL_SCHEMAS
const place = { place: count }
const requestEntry = z.object({ ...wireShape(request), ...place })
const jobEntry = z.object({ ...wireShape(job), ...place })
const deliveryEntry = z.object({ ...wireShape(delivery), ...place })
const noteEntry = z.object({ ...wireShape(note), ...place })
const journalEntry = z.discriminatedUnion('kind', [requestEntry, jobEntry, deliveryEntry, noteEntry])

const deliveryRecord = z.object(wireShape(deliveryRecordSchema))
const ended = { end_place: count }
const sent = { ...ended, attempt: z.int().check(z.minimum(1)) }
const receipt = z.partial(z.pick(deliveryRecord, { body: true, response_headers: true, response_body: true })).shape

const mode = z.enum(['system', 'scaled', 'manual', 'auto'])
const scale = z.optional(z.number())

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

/** The OpenAPI document of the service says more of it. */
const inputSchema = z.looseObject({}) as z.ZodMiniType as z.ZodMiniType<InputSchema> // the catalog was checked

/** What the control API responds with, by the name that the document gives it. */
export const COMPONENTS = {
  AddedFault: addedFault,
  ApiKey: apiKey,
  Activity: z.object({
    now_ms: z.number(),
    epoch: z.string(),
    place: count,
    jobs: listOf(jobRow),
    entries: listOf(journalEntry),
    clock: z.object({ mode, now_ms: z.number(), scale }),
    keys: listOf(z.extend(apiKey, { faults: listOf(addedFault), webhook: z.optional(scriptedWebhookSchema) })),
  }),
  Clock: z.object({ mode, now_ms: z.number(), scale }),
  Delivery: deliveryRecord,
  ErrorBody: errorBodySchema,
  Exchanges: z.object({
    now_ms: z.number(),
    job: jobRow,
    input: z.record(z.string(), z.unknown()),
    exchanges: listOf(
      z.discriminatedUnion('kind', [
        z.extend(requestEntry, sent),
        z.extend(jobEntry, ended),
        z.extend(deliveryEntry, { ...sent, ...receipt }),
      ]),
    ),
  }),
  Fault: faultOptionsSchema,
  Job: z.object({
    job_id: z.string(),
    request_id: z.string(),
    model_id: z.string(),
    input: z.record(z.string(), z.unknown()),
    status,
    output: z.optional(output),
  }),
  JobRow: jobRow,
  JournalEntry: journalEntry,
  Model: z.object({
    ...modelSummarySchema.shape,
    pricing: z.object({ credits_per_run: count }),
    input_schema: inputSchema,
  }),
  Outcome: scriptedOutcomeSchema,
  Output: output,
  Report: z.object({
    is_clean: z.boolean(),
    unfinished_jobs: listOf(z.object({ job_id: z.string(), model_id: z.string(), status })),
    pending_webhooks: listOf(z.object({ job_id: z.string(), url: z.string() })),
    unused_faults: listOf(addedFault),
    unused_scripts: listOf(z.object({ model_id: z.string(), outcomes: count })),
    unmatched_requests: listOf(z.object({ method: z.string(), path: z.string(), status: z.int() })),
    text: z.string(),
  }),
  Webhook: scriptedWebhookSchema,
} satisfies Readonly<Record<string, z.ZodMiniType>>

/** The JSON that each call responds with. A test writes these schemas into `control-openapi.json`; programs need their types alone. */
export const RESPONSES = {
  createKey: z.object({ key: z.string() }),
  readKey: COMPONENTS.ApiKey,
  limitKey: COMPONENTS.ApiKey,
  revokeKey: COMPONENTS.ApiKey,
  addScript: z.object({ waiting: count }),
  readClock: COMPONENTS.Clock,
  advanceClock: z.object({ now_ms: z.number() }),
  setClockScale: COMPONENTS.Clock,
  addFault: z.object({ id: z.string() }),
  listFaults: z.object({ faults: z.array(addedFault) }),
  removeFaults: z.object({ removed: count }),
  reset: z.object({ reset: z.enum(['all', 'account']) }),
  readCatalog: z.object({ models: z.array(COMPONENTS.Model) }),
  readExchanges: COMPONENTS.Exchanges,
  readJob: COMPONENTS.Job,
  completeJob: COMPONENTS.Job,
  failJob: COMPONENTS.Job,
  setWebhooks: z.object({ webhook: scriptedWebhookSchema }),
  listDeliveries: z.object({ deliveries: z.array(deliveryRecord) }),
  nextDelivery: z.object({ delivery: deliveryRecord }),
  readJournal: z.object({ entries: listOf(journalEntry), text: z.string() }),
  readStory: z.object({ job_id: z.string(), story: z.string() }),
  readReport: COMPONENTS.Report,
  readActivity: COMPONENTS.Activity,
  sendRun: z.object({ job_id: text, status: z.optional(z.int()), message: text }),
} satisfies Readonly<Record<string, z.ZodMiniType>>

/** Name of a call. */
export type OperationId = keyof typeof RESPONSES

/** The JSON that a call responds with. */
export type ResponseOf<Id extends OperationId> = z.output<(typeof RESPONSES)[Id]>

/** The responses of the control API, by their names in its OpenAPI document. */
export type ControlResponses = { [Name in keyof typeof COMPONENTS]: z.output<(typeof COMPONENTS)[Name]> }
