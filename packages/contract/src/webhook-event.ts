import * as z from 'zod/mini'
import { defineSchema } from './define-schema.ts'
import { type ErrorDetail, errorDetailSchema } from './error-body.ts'
import { type Output, outputSchema } from './job.ts'

/** Body of the delivery for a job that ended `succeeded` (section 6). */
export interface SucceededDelivery {
  /** Identifier of the job; the same in a duplicate. */
  job_id: string
  /** The job has finished, and its output is here. */
  status: 'succeeded'
  /** The output of the job (section 2.5). */
  output: Output
  /** Credits charged. */
  credits_used: number
  /** When the job ended: ISO 8601, UTC. */
  completed_at: string
}

/** Body of the delivery for a job that ended `failed` (section 6). */
export interface FailedDelivery {
  /** Identifier of the job; the same in a duplicate. */
  job_id: string
  /** The job ended with an error. */
  status: 'failed'
  /** Why the job failed (section 7). */
  error: ErrorDetail
}

/** Body of a webhook delivery (section 6). Unsigned, never retried, sometimes sent twice: `job_id` identifies duplicates. */
export type WebhookDelivery = SucceededDelivery | FailedDelivery

/** Schema of {@link SucceededDelivery}. Unknown members stay. */
export const succeededDeliverySchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    job_id: z.string(),
    status: z.literal('succeeded'),
    output: outputSchema,
    credits_used: z.number(),
    completed_at: z.string(),
  }),
) satisfies z.ZodMiniType<SucceededDelivery>

/** Schema of {@link FailedDelivery}. Unknown members stay. */
export const failedDeliverySchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    job_id: z.string(),
    status: z.literal('failed'),
    error: errorDetailSchema,
  }),
) satisfies z.ZodMiniType<FailedDelivery>

/** Schema of {@link WebhookDelivery}: distinguished by `status`. Unknown members stay. */
export const webhookDeliverySchema = /* @__PURE__ */ defineSchema(() =>
  z.discriminatedUnion('status', [succeededDeliverySchema, failedDeliverySchema]),
) satisfies z.ZodMiniType<WebhookDelivery>
