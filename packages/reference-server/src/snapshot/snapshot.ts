import { type ErrorDetail, errorDetailSchema, type Output, outputSchema, PERMISSIONS } from '@modelrun/contract'
import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { scriptedOutcomeSchema } from '../domain/scripted-outcome.ts'
import { scriptedWebhookSchema } from '../domain/scripted-webhook.ts'
import { faultOptionsSchema } from '../faults/fault-options.ts'
import { MAX_NESTING } from '../json.ts'

/** Member `format` of every snapshot. */
export const SNAPSHOT_FORMAT = 'modelrun-reference-server'

/** Rises when an older release could not read it any more. */
export const SNAPSHOT_VERSION = 1

/** So many levels of objects and arrays a snapshot may have: those of a request's body, and some around what it held. */
export const SNAPSHOT_NESTING = MAX_NESTING + 16

const count = z.int().check(z.nonnegative())
const time = z.number().check(z.minimum(-LATEST_TIME_MS), z.maximum(LATEST_TIME_MS))
/** Of the generator: four words of 32 bits, not all zero, from which nothing but zeros would come. */
const random = z.array(z.int()).check(
  z.length(4),
  z.refine((words) => words.some((word) => word !== 0)),
)

const end = {
  status: z.enum(['succeeded', 'failed', 'cancelled']),
  output: z.optional(outputSchema),
  error: z.optional(errorDetailSchema),
}

const deliveryBodySchema = z.union([
  z.strictObject({
    job_id: z.string(),
    status: z.literal('succeeded'),
    output: outputSchema,
    credits_used: z.number(),
    completed_at: z.string(),
  }),
  z.strictObject({ job_id: z.string(), status: z.literal('failed'), error: errorDetailSchema }),
  z.strictObject({ job_id: z.string(), status: z.literal('cancelled') }),
])

const deliverySchema = z.strictObject({
  job_id: z.string(),
  url: z.string(),
  attemptedAt: time,
  finishedAt: time,
  outcome: z.enum(['delivered', 'rejected', 'timeout', 'network_error']),
  status: z.optional(z.number()),
  reason: z.optional(z.string()),
  responseHeaders: z.optional(z.array(z.tuple([z.string(), z.string()]))),
  responseBody: z.optional(z.string()),
  body: deliveryBodySchema,
})

/** A tenant. Others name it by its index. */
const accountSchema = z.strictObject({
  name: z.string(),
  credits: z.strictObject({ granted: count, grant: count, charged: count }),
  scripts: z.record(z.string(), z.array(scriptedOutcomeSchema)),
  /** How many runs did what the catalog says, by model id; only of models with outcomes there. */
  turns: z.optional(z.record(z.string(), count)),
  webhook: z.optional(scriptedWebhookSchema),
  faults: z.strictObject({
    added: count,
    rules: z.array(z.strictObject({ id: z.string(), fault: faultOptionsSchema, used: count, random })),
  }),
  /** In the order in which they finished. */
  deliveries: z.array(deliverySchema),
})

const keySchema = z.strictObject({
  key: z.string().check(z.minLength(1)),
  account: count,
  isLive: z.boolean(),
  permissions: z.array(z.enum(PERMISSIONS)),
  allowIps: z.optional(z.array(z.string())),
  isRevoked: z.boolean(),
})

const jobSchema = z.strictObject({
  id: z.string().check(z.minLength(1)),
  requestId: z.string(),
  account: count,
  model: z.string(),
  input: z.record(z.string(), z.unknown()),
  seed: z.number(),
  createdAt: time,
  processingAt: time,
  webhook: z.optional(z.strictObject({ ...scriptedWebhookSchema.shape, url: z.string() })),
  reads: count,
  /** Of an unfinished job. */
  plan: z.optional(
    z.strictObject({ ...end, status: z.enum(['succeeded', 'failed']), afterReads: count, endsAt: z.optional(time) }),
  ),
  /** When time alone will end it. */
  endsAt: z.optional(time),
  /** Of several that end at the same time, the lower one ends first. */
  endPlace: z.optional(count),
  /** Of a finished job. */
  end: z.optional(z.strictObject({ ...end, at: time, isCharged: z.optional(z.boolean()) })),
})

export const snapshotSchema = z.strictObject({
  /** Distinguishes a snapshot from other JSON. */
  format: z.literal(SNAPSHOT_FORMAT),
  /** Version of the format; a server rejects versions that it does not know. */
  version: z.literal(SNAPSHOT_VERSION),
  /** Milliseconds since 1970 on the server's clock. */
  time,
  /** The same in real time, when the server's clock is `'system'`: then time passes for a server that is not there. */
  realTime: z.optional(time),
  /** Seed of faults to come. */
  seed: z.int(),
  /** Where the random numbers of ids and files stand. */
  random,
  /** How many requests have an id. */
  requests: count,
  /** The account of each key, with its jobs, credits, scripts and deliveries. */
  accounts: z.array(accountSchema).check(z.minLength(1)),
  /** In the order in which they were made; the first one is the server's `apiKey`. */
  keys: z.array(keySchema).check(z.minLength(1)),
  /** Finished ones first. */
  jobs: z.array(jobSchema),
  /** Pending deliveries. A delivery that had started starts again. */
  pendingDeliveries: z.array(
    z.strictObject({
      job_id: z.string(),
      body: deliveryBodySchema,
      /** How many deliveries are over. */
      sent: count,
      /** Held until another event has happened. */
      isHeld: z.boolean(),
      dueAt: z.optional(time),
    }),
  ),
  /** What was done to a server with a dashboard, oldest first. */
  actions: z.optional(z.array(z.looseObject({ at: time, call: z.string() }))),
  /** The deliveries that `webhooks.next()` has not returned, oldest first. */
  unread: z.array(z.strictObject({ account: count, delivery: count })),
})

/** The types of the contract are as they are: their schemas infer members that they do not name. */
type Frozen<Value> = Value extends Output
  ? Output
  : Value extends ErrorDetail
    ? ErrorDetail
    : Value extends object
      ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
      : Value

/**
 * The whole state of a server as plain JSON: time, random numbers, keys, accounts with their credits, scripts and faults,
 * jobs, deliveries. Store it and pass it to `restore`; its content may change with `version`.
 *
 * Not in it: the journal, receivers in this process, and the options, which are the server's own.
 */
export type Snapshot = Frozen<z.infer<typeof snapshotSchema>>
export type AccountState = Snapshot['accounts'][number]
export type KeyState = Snapshot['keys'][number]
export type JobState = Snapshot['jobs'][number]
export type PlanState = NonNullable<JobState['plan']>
export type PendingDeliverySnapshot = Snapshot['pendingDeliveries'][number]
