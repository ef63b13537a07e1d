import * as z from 'zod/mini'
import { defineSchema } from './define-schema.ts'
import { type ErrorDetail, errorDetailSchema } from './error-body.ts'
import { type Output, outputSchema } from './job.ts'

/** Body of the delivery for a job that ended `succeeded` (section 6). */
export interface SucceededDelivery {
  job_id: string
  status: 'succeeded'
  output: Output
  /** Credits charged. */
  credits_used: number
  /** When the job ended: ISO 8601, UTC. */
  completed_at: string
}

/** Body of the delivery for a job that ended `failed` (section 6). */
export interface FailedDelivery {
  job_id: string
  status: 'failed'
  error: ErrorDetail
}

/** Body of a webhook delivery (section 6). Unsigned, never retried, sometimes sent twice: `job_id` tells duplicates. */
export type WebhookDelivery = SucceededDelivery | FailedDelivery

export const succeededDeliverySchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    job_id: z.string(),
    status: z.literal('succeeded'),
    output: outputSchema,
    credits_used: z.number(),
    completed_at: z.string(),
  }),
) satisfies z.ZodMiniType<SucceededDelivery>

export const failedDeliverySchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    job_id: z.string(),
    status: z.literal('failed'),
    error: errorDetailSchema,
  }),
) satisfies z.ZodMiniType<FailedDelivery>

export const webhookDeliverySchema = /* @__PURE__ */ defineSchema(() =>
  z.discriminatedUnion('status', [succeededDeliverySchema, failedDeliverySchema]),
) satisfies z.ZodMiniType<WebhookDelivery>
