import { type ErrorDetail, errorDetailSchema, type Output, outputSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { type InputCondition, inputConditionSchema } from './input-condition.ts'

/** How the result of a run is delivered. Section 6 allows late, duplicate and lost deliveries. */
export interface ScriptedWebhook {
  /** How often the same body is sent (section 6, rule 3), one after the other; 0 loses it. Default 1. */
  deliveries?: number | undefined
  /** Time before the first delivery, on the server's clock. Default 0. */
  delay_ms?: number | undefined
  /** Time between one delivery and its duplicate, on the server's clock. Default 0. */
  gap_ms?: number | undefined
  /**
   * `before-response`: the delivery comes before the response to the run. The job takes no time (or `after_ms` of its script),
   * and the response, a 202 as always, comes when its deliveries are over. Default: when the job has ended.
   */
  when?: 'before-response' | undefined
}

const MAX_DELIVERIES = 100

const milliseconds = z.optional(z.number().check(z.nonnegative(), z.maximum(LATEST_TIME_MS)))

export const scriptedWebhookSchema = z.strictObject({
  deliveries: z.optional(z.int().check(z.nonnegative(), z.maximum(MAX_DELIVERIES))),
  delay_ms: milliseconds,
  gap_ms: milliseconds,
  when: z.optional(z.literal('before-response')),
}) satisfies z.ZodMiniType<ScriptedWebhook>

/** What one of the next runs of a model does, instead of what the catalog says. */
export interface ScriptedOutcome {
  /** Only a run with such an input takes it, `{ input: { prompt: 'a fox' } }`. Default: the next run. */
  when?: InputCondition | undefined
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
  /**
   * Of a run that succeeds. The url `{file}` stands for a file that the server makes, `{file}data:image/png;base64,…` for
   * one with these bytes. Default: files that the server makes.
   */
  output?: Output | undefined
  /** How the result is delivered, if the run has a `webhook_url`. Default: that of the account, else at once. */
  webhook?: ScriptedWebhook | undefined
}

const isFile = ({ url }: { url: string }) => !url.startsWith(OWN_FILE) || url === OWN_FILE || readScriptedFile(url)

export const scriptedOutputSchema: z.ZodMiniType<Output> = outputSchema.check(
  z.refine(({ items }) => items.every(isFile), 'the url of a file is {file}, or {file} and a data URI'),
)

export const scriptedOutcomeSchema = z.strictObject({
  when: z.optional(inputConditionSchema),
  result: z.enum(['succeeded', 'failed', 'hang']),
  after_ms: milliseconds,
  after_polls: z.optional(z.int().check(z.nonnegative())),
  error: z.optional(errorDetailSchema),
  output: z.optional(scriptedOutputSchema),
  webhook: z.optional(scriptedWebhookSchema),
}) satisfies z.ZodMiniType<ScriptedOutcome>

/** For lists of outcomes: a member that does nothing is a mistake. */
export const hasOneEnd = z.refine<Omit<ScriptedOutcome, 'when'>>(
  ({ result, error, output }) => (!error || result === 'failed') && (!output || result === 'succeeded'),
  'error goes with failed, and output with succeeded',
)

/** Stands in a scripted output for the url of a file of the server: behind it may be the file, as a data URI. */
export const OWN_FILE = '{file}'

export interface ScriptedFile {
  contentType: string
  bytes: Uint8Array<ArrayBuffer>
}

/** Reads `{file}` and a data URI. Not by `fetch`, which a test may have replaced. */
export function readScriptedFile(url: string): ScriptedFile | undefined {
  const [head, contentType = '', isBase64] = /^{file}data:([^,]*?)(;base64)?,/i.exec(url) ?? []
  if (head === undefined) return undefined
  try {
    const escaped = encodeURI(url.slice(head.length)).replaceAll('%25', '%')
    const binary = escaped.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    const bytes = Uint8Array.from(isBase64 ? atob(binary) : binary, (character) => character.charCodeAt(0))
    return { contentType: contentType || 'text/plain', bytes }
  } catch {
    return undefined
  }
}
