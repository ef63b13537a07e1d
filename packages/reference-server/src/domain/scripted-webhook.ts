import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'

/** When the first delivery of a result begins, if not as soon as its job has ended. */
const DELIVERY_MOMENTS = ['before-response', 'after-poll', 'after-next'] as const

/** How the result of a run is delivered. The service promises less than one may hope for (section 6). */
export interface ScriptedWebhook {
  /** How often the same body is sent (section 6, rule 3), one after the other; 0 loses it. Default 1. */
  deliveries?: number | undefined
  /** Time before the first delivery, on the server's clock. Default 0. */
  delay_ms?: number | undefined
  /** Time between one delivery and its duplicate, on the server's clock. Default 0. */
  gap_ms?: number | undefined
  /**
   * When the delivery begins. Default: when the job has ended.
   * - `before-response`: before the run is answered. The job takes no time (or `after_ms` of its script), and the answer, a
   *   202 as ever, comes when its deliveries are over.
   * - `after-poll`: 1 ms after a read of the status has shown the end
   * - `after-next`: after another job of the account was delivered, so in the wrong order
   */
  when?: (typeof DELIVERY_MOMENTS)[number] | undefined
  /** What the service meets in place of the receiver, or how slow that one is. Default: the receiver as it is. */
  receiver?: ScriptedReceiver | undefined
}

/** A receiver that is slow, fails, or is not there. */
export interface ScriptedReceiver {
  /**
   * What the service gets instead of the receiver's own answer: a status code, or a connection that is reset. The
   * delivery does not reach the receiver. Default: whatever the receiver answers.
   */
  response?: number | 'reset' | undefined
  /** So long the answer takes, on the server's clock; after 10 s it is too late (section 8). Default 0. */
  after_ms?: number | undefined
}

const MAX_DELIVERIES = 100

export const milliseconds = z.optional(z.number().check(z.nonnegative(), z.maximum(LATEST_TIME_MS)))

const scriptedReceiverSchema = z.strictObject({
  response: z.optional(
    z.union([z.int().check(z.minimum(200), z.maximum(599)), z.literal('reset')], 'must be 200 to 599, or "reset"'),
  ),
  after_ms: milliseconds,
}) satisfies z.ZodMiniType<ScriptedReceiver>

export const scriptedWebhookSchema = z.strictObject({
  deliveries: z.optional(z.int().check(z.nonnegative(), z.maximum(MAX_DELIVERIES))),
  delay_ms: milliseconds,
  gap_ms: milliseconds,
  when: z.optional(z.enum(DELIVERY_MOMENTS)),
  receiver: z.optional(scriptedReceiverSchema),
}) satisfies z.ZodMiniType<ScriptedWebhook>
