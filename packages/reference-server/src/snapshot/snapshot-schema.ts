import type { ErrorDetail, Output } from '@modelrun/contract'
import { errorDetailSchema, outputSchema, PERMISSIONS, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { deliveryBodySchema, deliveryRecordSchema } from '../domain/delivery.ts'
import { faultOptionsSchema } from '../domain/fault-options.ts'
import { allowlistSchema } from '../domain/ip-allowlist.ts'
import { type ScriptedOutcome, scriptedOutcomeSchema, scriptedWebhookSchema } from '../domain/scripted-outcome.ts'

/** Member `format` of every snapshot. */
export const SNAPSHOT_FORMAT = 'modelrun-reference-server'

/** Rises when an older release could not read it any more. */
export const SNAPSHOT_VERSION = 1

const listOf = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item))

const count = /* @__PURE__ */ z.int().check(z.nonnegative())
const moment = /* @__PURE__ */ z.number().check(z.minimum(-LATEST_TIME_MS), z.maximum(LATEST_TIME_MS))
const notEmpty = /* @__PURE__ */ z.refine<{ length: number }>(({ length }) => length > 0, 'it is empty')
const random = /* @__PURE__ */ listOf(z.int()).check(z.refine(({ length }) => length === 4, 'it has four numbers'))

// The types that the contract names, without its index signatures for members to come.
const output: z.ZodMiniType<Output> = outputSchema
const error: z.ZodMiniType<ErrorDetail> = errorDetailSchema

/** Of 0.1.0 too: a member or a value that is gone since then is left out. */
const webhook = /* @__PURE__ */ (() =>
  z.object({ ...scriptedWebhookSchema.shape, when: z.catch(scriptedWebhookSchema.shape.when, undefined) }))()
const outcome: z.ZodMiniType<ScriptedOutcome> = /* @__PURE__ */ z.extend(scriptedOutcomeSchema, {
  webhook: z.optional(webhook),
})
const result = { output: /* @__PURE__ */ z.optional(output), error: /* @__PURE__ */ z.optional(error) }

const account = /* @__PURE__ */ (() =>
  z.object({
    name: z.string(),
    credits: z.object({ granted: count, grant: count, charged: count }),
    /** What the next runs do, by model id. */
    scripts: z.record(z.string(), listOf(outcome)),
    turns: z.record(z.string(), count),
    webhook: z.optional(webhook),
    faults: z.object({
      added: count,
      rules: listOf(z.object({ id: z.string(), fault: faultOptionsSchema, used: count, random })),
    }),
    /** With the place of each among those that no reader has got yet. */
    deliveries: listOf(z.object({ record: deliveryRecordSchema, unread: z.optional(count) })),
  }))()

const key = /* @__PURE__ */ (() =>
  z.object({
    key: z.string().check(notEmpty),
    isLive: z.boolean(),
    permissions: listOf(z.enum(PERMISSIONS)),
    allowIps: z.optional(allowlistSchema),
    isRevoked: z.boolean(),
    account: count,
  }))()

const job = /* @__PURE__ */ (() =>
  z.object({
    id: z.string().check(notEmpty),
    requestId: z.string(),
    account: count,
    model: z.string(),
    input: z.readonly(z.record(z.string(), z.unknown())),
    seed: z.int(),
    createdAt: moment,
    processingAt: moment,
    /** Of an unfinished job. */
    plan: z.optional(
      z.object({ endsAt: z.optional(moment), afterReads: count, status: z.enum(['succeeded', 'failed']), ...result }),
    ),
    webhook: z.optional(z.extend(webhook, { url: z.string() })),
    reads: count,
    endsAt: z.optional(moment),
    end: z.optional(
      z.object({
        status: z.enum(TERMINAL_JOB_STATUSES),
        at: moment,
        ...result,
        isCharged: z.optional(z.boolean()),
      }),
    ),
  }))()

/** The whole state of a server. Accounts are named by their index. Members that are unknown are left out. */
export const snapshotSchema = /* @__PURE__ */ (() =>
  z.object({
    format: z.literal(SNAPSHOT_FORMAT),
    version: z.literal(SNAPSHOT_VERSION),
    time: moment,
    /** Only of a clock of real time, which continues for a server that is not there. */
    realTime: z.optional(moment),
    seed: z.int(),
    random,
    requests: count,
    accounts: listOf(account),
    /** In the order of their creation; the first one is the server's `apiKey`. */
    keys: listOf(key).check(notEmpty),
    /** Finished ones first, others in the order of their creation. */
    jobs: listOf(job),
    /** A delivery that had started starts again. */
    pendingDeliveries: listOf(
      z.object({
        job_id: z.string(),
        body: deliveryBodySchema,
        sent: count,
        dueAt: z.optional(moment),
      }),
    ),
  }))()

/**
 * The whole state of a server as plain JSON: time, random numbers, keys, accounts with their credits, scripts and faults,
 * jobs, deliveries. Store it and pass it to `restore`; its content may change with `version`.
 *
 * Not in it: receivers in this process, the journal, and the options, which are the server's own.
 */
export type Snapshot = z.output<typeof snapshotSchema>
