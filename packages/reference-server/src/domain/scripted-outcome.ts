import { type ErrorDetail, errorDetailSchema, type Output, outputSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { milliseconds, type ScriptedWebhook, scriptedWebhookSchema } from './scripted-webhook.ts'

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
  /** Of a run that succeeds. The url `{file}` stands for a file that the server makes. Default: such files. */
  output?: Output | undefined
  /** How the result is delivered, if the run has a `webhook_url`. Default: that of the account, else at once. */
  webhook?: ScriptedWebhook | undefined
}

export const scriptedOutcomeSchema = z.strictObject({
  result: z.enum(['succeeded', 'failed', 'hang']),
  after_ms: milliseconds,
  after_polls: z.optional(z.int().check(z.nonnegative())),
  error: z.optional(errorDetailSchema),
  output: z.optional(outputSchema),
  webhook: z.optional(scriptedWebhookSchema),
}) satisfies z.ZodMiniType<ScriptedOutcome>
