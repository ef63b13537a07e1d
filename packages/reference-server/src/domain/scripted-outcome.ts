import { type ErrorDetail, errorDetailSchema, type Output, outputSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'

/** What one of the next runs of a model does, instead of what the catalog says. */
export interface ScriptedOutcome {
  /** How the run ends; `hang` never does. */
  result: 'succeeded' | 'failed' | 'hang'
  /** It ends this long after it was started, on the server's clock. Default: the latency of the model. */
  after_ms?: number | undefined
  /**
   * So many reads of the job's status still show it at work; the next one ends it. Without `after_ms` nothing but the
   * reads counts, with it the run ends when both have come true.
   */
  after_polls?: number | undefined
  /** Of a failed run. Default: `PROVIDER_FAILURE`. */
  error?: ErrorDetail | undefined
  /** Of a run that succeeds. Default: files that the server makes. */
  output?: Output | undefined
  /** How the result is delivered, if the run has a `webhook_url`. */
  webhook?: ScriptedWebhook | undefined
}

/** How the result of one scripted run is delivered. */
export interface ScriptedWebhook {
  /** How often the same body is sent (section 6, rule 3), one after the other; 0 loses it. Default 1. */
  deliveries?: number | undefined
  /** Time between the end of the job and the first delivery, on the server's clock. Default 0. */
  delay_ms?: number | undefined
}

const MAX_DELIVERIES = 100
const milliseconds = z.optional(z.number().check(z.nonnegative(), z.maximum(LATEST_TIME_MS)))

const scriptedWebhookSchema = z.strictObject({
  deliveries: z.optional(z.int().check(z.nonnegative(), z.maximum(MAX_DELIVERIES))),
  delay_ms: milliseconds,
}) satisfies z.ZodMiniType<ScriptedWebhook>

export const scriptedOutcomeSchema = z.strictObject({
  result: z.enum(['succeeded', 'failed', 'hang']),
  after_ms: milliseconds,
  after_polls: z.optional(z.int().check(z.nonnegative())),
  error: z.optional(errorDetailSchema),
  output: z.optional(outputSchema),
  webhook: z.optional(scriptedWebhookSchema),
}) satisfies z.ZodMiniType<ScriptedOutcome>
