import { type WebhookDelivery, webhookDeliverySchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { type Job, type JobEnd, providerFailure } from './job.ts'
import { outputOf } from './produce-output.ts'

/** Body of a delivery (section 6). `cancelled` is sent only when the assumption `cancelledJobWebhook` says so. */
export type DeliveryBody = WebhookDelivery | { job_id: string; status: 'cancelled' }

/** One finished attempt to deliver a result. */
export interface DeliveryRecord {
  /** Identifier of the job whose result was delivered. */
  job_id: string
  /** The `webhook_url` of the run. */
  url: string
  /** Milliseconds since 1970 on the server's clock. */
  attemptedAt: number
  /** Milliseconds since 1970 on the server's clock. */
  finishedAt: number
  /**
   * - `delivered`: the receiver responded with 2xx in time
   * - `rejected`: it responded with another status, redirects included
   * - `timeout`: it did not respond within 10 s on the server's clock (section 8)
   * - `network_error`: it could not be reached, or broke the connection
   */
  outcome: 'delivered' | 'rejected' | 'timeout' | 'network_error'
  /** HTTP status of the receiver's response, if it responded. */
  status?: number | undefined
  /** What went wrong on the network, or the start of what the receiver responded when it rejected the delivery. */
  reason?: string | undefined
  /** Headers of the receiver's response, without secrets. Only where the server shows a dashboard. */
  responseHeaders?: readonly (readonly [name: string, value: string])[] | undefined
  /** Body of the receiver's response as text, cut at 2,048 bytes. Only where the server shows a dashboard. */
  responseBody?: string | undefined
  /** What was sent. */
  body: DeliveryBody
}

export const deliveryBodySchema: z.ZodMiniType<DeliveryBody> = /* @__PURE__ */ z.union([
  webhookDeliverySchema,
  z.object({ job_id: z.string(), status: z.literal('cancelled') }),
])

export const deliveryRecordSchema = /* @__PURE__ */ (() =>
  z.object({
    job_id: z.string(),
    url: z.string(),
    attemptedAt: z.number(),
    finishedAt: z.number(),
    outcome: z.enum(['delivered', 'rejected', 'timeout', 'network_error']),
    status: z.optional(z.int()),
    reason: z.optional(z.string()),
    responseHeaders: z.optional(z.readonly(z.array(z.readonly(z.tuple([z.string(), z.string()]))))),
    responseBody: z.optional(z.string()),
    body: deliveryBodySchema,
  }))() satisfies z.ZodMiniType<DeliveryRecord>

/** What is sent when a job has ended (section 6). */
export function deliveryBody(job: Job, end: JobEnd, baseUrl: string): DeliveryBody {
  switch (end.status) {
    case 'succeeded':
      return {
        job_id: job.id,
        status: 'succeeded',
        output: outputOf(job, baseUrl),
        credits_used: job.model.pricing.credits_per_run,
        completed_at: new Date(end.at).toISOString(),
      }
    case 'failed':
      return { job_id: job.id, status: 'failed', error: end.error ?? providerFailure(job.model) }
    case 'cancelled':
      return { job_id: job.id, status: 'cancelled' }
  }
}
