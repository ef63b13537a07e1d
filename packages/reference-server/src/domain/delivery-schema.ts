import { webhookDeliverySchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { DeliveryBody, DeliveryRecord } from './delivery.ts'

export const deliveryBodySchema: z.ZodMiniType<DeliveryBody> = /* @__PURE__ */ z.union([
  webhookDeliverySchema,
  z.object({ job_id: z.string(), status: z.literal('cancelled') }),
])

export const headersSchema = /* @__PURE__ */ z.readonly(z.array(z.readonly(z.tuple([z.string(), z.string()]))))

export const deliveryRecordSchema = /* @__PURE__ */ (() =>
  z.object({
    job_id: z.string(),
    url: z.string(),
    attemptedAt: z.number(),
    finishedAt: z.number(),
    outcome: z.enum(['delivered', 'rejected', 'timeout', 'network_error']),
    status: z.optional(z.int()),
    reason: z.optional(z.string()),
    responseHeaders: z.optional(headersSchema),
    responseBody: z.optional(z.string()),
    body: deliveryBodySchema,
  }))() satisfies z.ZodMiniType<DeliveryRecord>
