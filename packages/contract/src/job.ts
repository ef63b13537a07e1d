import * as z from 'zod/mini'
import { defineSchema } from './define-schema.ts'
import { type ErrorDetail, errorDetailSchema } from './error-body.ts'
import type { OpenEnum } from './open-enum.ts'

/** The job statuses that the specification names (section 3). */
export const JOB_STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'cancelled'] as const

/** A job status that the specification names (section 3). */
export type KnownJobStatus = (typeof JOB_STATUSES)[number]

/** Status of a job (section 3); the service may add some. Treat an unknown one as not finished. */
export type JobStatus = OpenEnum<KnownJobStatus>

/** The statuses that a job never leaves (section 3). */
export const TERMINAL_JOB_STATUSES = ['succeeded', 'failed', 'cancelled'] as const satisfies readonly KnownJobStatus[]

/** A status that a job never leaves (section 3). */
export type TerminalJobStatus = (typeof TERMINAL_JOB_STATUSES)[number]

/** Kind of an output or of an item (section 2.5): `image` occurs, others may. */
type OutputType = OpenEnum<'image' | 'video' | 'audio'>

/** One produced file (section 2.5). */
export interface OutputItem {
  /** Kind of the file. `image` is in the specification; the service may send others. */
  type: OutputType
  /** Address of the produced file. */
  url: string
}

/** The output of a run (section 2.5). */
export interface Output {
  /** Kind of the output. `image` is in the specification; the service may send others. */
  type: OutputType
  /** The produced files. */
  items: OutputItem[]
}

/** State of a job, the `data` member of `GET /v1/jobs/{id}` (section 4.4). */
export interface Job {
  /** Where the job stands. Treat an unknown status as not finished. */
  status: JobStatus
  /** Present when `succeeded`. */
  output?: Output | undefined
  /** Present when `failed`. */
  error?: ErrorDetail | undefined
}

/** Response of `GET /v1/jobs/{id}` (section 4.4). */
export interface JobResponse {
  /** The job. */
  data: Job
}

/** Schema of {@link OutputItem}. Unknown members stay. */
export const outputItemSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    type: z.string(),
    url: z.string(),
  }),
) satisfies z.ZodMiniType<OutputItem>

/** Schema of {@link Output}. Unknown members stay. */
export const outputSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    type: z.string(),
    items: z.array(outputItemSchema),
  }),
) satisfies z.ZodMiniType<Output>

/** Schema of {@link Job}. Unknown members stay. */
export const jobSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({
    status: z.string(),
    output: z.optional(outputSchema),
    error: z.optional(errorDetailSchema),
  }),
) satisfies z.ZodMiniType<Job>

/** Schema of {@link JobResponse}. Unknown members stay. */
export const jobResponseSchema = /* @__PURE__ */ defineSchema(() =>
  z.looseObject({ data: jobSchema }),
) satisfies z.ZodMiniType<JobResponse>
