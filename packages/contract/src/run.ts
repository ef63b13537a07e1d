import * as z from 'zod/mini'
import { defineSchema } from './define-schema.ts'
import { type Output, outputSchema } from './job.ts'

/** Body of `POST /v1/models/{model}/run` (section 4.3). */
export interface RunRequest {
  /** Input parameters per the model's `input_schema`. */
  input: Record<string, unknown>
  /** `true` (default): wait for the result, about 55 s at most. `false`: return at once. */
  sync?: boolean | undefined
  /** Address that receives the finished result by POST (section 6). */
  webhook_url?: string | undefined
}

/** The members of every response to a run (section 4.3). */
export interface RunIdentity {
  /** Identifier of the job, used in job paths. */
  job_id: string
  /** Identifier of the request at the underlying provider. */
  request_id: string
  /** Id of the model that was run. */
  model_id: string
}

/** Response 200 to a synchronous run that finished in time (section 4.3). */
export interface RunCompleted extends RunIdentity {
  /** The same outcome as the job status `succeeded` (section 3). */
  status: 'completed'
  /** The output of the run (section 2.5). */
  output: Output
  /** Processing time in milliseconds. */
  duration_ms: number
  /** Credits charged. */
  credits_used: number
}

/** Response 202: the run continues. Poll the job, or wait for the webhook (section 4.3). */
export interface RunProcessing extends RunIdentity {
  /** The job is not finished yet. */
  status: 'processing'
  /** Text for people: the job has to be polled. */
  message: string
}

/** Response 200 or 202 to a run with `sync: false` (section 4.3). */
export interface RunQueued extends RunIdentity {
  /** The job waits to be processed. */
  status: 'queued'
}

/** Every response to a run that the specification shows (section 4.3). */
export type RunResponse = RunCompleted | RunProcessing | RunQueued

const runIdentity = () => ({ job_id: z.string(), request_id: z.string(), model_id: z.string() })

/** Schema of {@link RunCompleted}. Unknown members stay. */
export const runCompletedSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    ...runIdentity(),
    status: z.literal('completed'),
    output: outputSchema,
    duration_ms: z.number(),
    credits_used: z.number(),
  }),
) satisfies z.ZodMiniType<RunCompleted>

/** Schema of {@link RunProcessing}. Unknown members stay. */
export const runProcessingSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    ...runIdentity(),
    status: z.literal('processing'),
    message: z.string(),
  }),
) satisfies z.ZodMiniType<RunProcessing>

/** Schema of {@link RunQueued}. Unknown members stay. */
export const runQueuedSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    ...runIdentity(),
    status: z.literal('queued'),
  }),
) satisfies z.ZodMiniType<RunQueued>

/** Schema of {@link RunResponse}: distinguished by `status`. Unknown members stay. */
export const runResponseSchema = /* @__PURE__ */ defineSchema(() =>
  z.discriminatedUnion('status', [runCompletedSchema, runProcessingSchema, runQueuedSchema]),
) satisfies z.ZodMiniType<RunResponse>

/** Strict: what a server accepts as the body of a run request. The input itself is checked per model. */
export const runRequestSchema = /* @__PURE__ */ defineSchema(() =>
  z.strictObject({
    input: z.record(z.string(), z.unknown()),
    sync: z.optional(z.boolean()),
    webhook_url: z.optional(z.url({ protocol: /^https?$/ })),
  }),
) satisfies z.ZodMiniType<RunRequest>
