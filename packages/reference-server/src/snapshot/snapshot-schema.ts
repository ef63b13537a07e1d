import { errorDetailSchema, outputSchema, PERMISSIONS } from '@modelrun/contract'
import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { scriptedOutcomeSchema } from '../domain/scripted-outcome.ts'
import { scriptedWebhookSchema } from '../domain/scripted-webhook.ts'
import { faultOptionsSchema } from '../faults/fault-options.ts'
import { SNAPSHOT_FORMAT, SNAPSHOT_VERSION, type Snapshot } from './snapshot.ts'

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
  body: deliveryBodySchema,
})

const accountSchema = z.strictObject({
  name: z.string(),
  credits: z.strictObject({ granted: count, grant: count, charged: count }),
  scripts: z.record(z.string(), z.array(scriptedOutcomeSchema)),
  webhook: z.optional(scriptedWebhookSchema),
  faults: z.strictObject({
    added: count,
    rules: z.array(z.strictObject({ id: z.string(), fault: faultOptionsSchema, used: count, random })),
  }),
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
  plan: z.optional(
    z.strictObject({ ...end, status: z.enum(['succeeded', 'failed']), afterReads: count, endsAt: z.optional(time) }),
  ),
  endsAt: z.optional(time),
  endPlace: z.optional(count),
  end: z.optional(z.strictObject({ ...end, at: time, isCharged: z.optional(z.boolean()) })),
})

export const snapshotSchema = /* @__PURE__ */ (() =>
  z.strictObject({
    format: z.literal(SNAPSHOT_FORMAT),
    version: z.literal(SNAPSHOT_VERSION),
    time,
    realTime: z.optional(time),
    seed: z.int(),
    random,
    requests: count,
    accounts: z.array(accountSchema).check(z.minLength(1)),
    keys: z.array(keySchema).check(z.minLength(1)),
    jobs: z.array(jobSchema),
    pendingDeliveries: z.array(
      z.strictObject({
        job_id: z.string(),
        body: deliveryBodySchema,
        sent: count,
        isHeld: z.boolean(),
        dueAt: z.optional(time),
      }),
    ),
    unread: z.array(z.strictObject({ account: count, delivery: count })),
  }))() satisfies z.ZodMiniType<Snapshot>
