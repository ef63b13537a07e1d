import type { Job } from '@modelrun/contract'
import { ConfigurationError, readArguments, showValue, tryParseJson } from '@modelrun/kit'
import * as z from 'zod/mini'

/** The ids of a job, and what is known of its submission. */
export interface JobReference {
  jobId: string
  modelId?: string | undefined
  requestId?: string | undefined
  /** When it was submitted, in milliseconds of this client's clock; undefined when another process did that. */
  submittedAt?: number | undefined
  /** When the service gave its state in the response to the run. */
  seenAt?: number | undefined
  /** That state. */
  state?: Job | undefined
  /** The price of a run of the model, in credits, when it was read before the run. */
  creditsPerRun?: number | undefined
}

/** True when this client submitted the job. An id from elsewhere may be wrong. */
export function isConfirmed({ submittedAt }: JobReference): boolean {
  return submittedAt !== undefined
}

/** A job as plain JSON, for another process. `JobHandle.toJSON()` makes it, and `jobs.attach` reads it. */
export interface JobJson {
  /** Identifier of the job. */
  job_id: string
  /** The model that was run, when it is known. */
  model_id?: string | undefined
  /** Identifier of the request at the underlying provider, when it is known. */
  request_id?: string | undefined
}

const jobJsonSchema = /* @__PURE__ */ (() =>
  z.looseObject({
    job_id: z.string(),
    model_id: z.optional(z.string()),
    request_id: z.optional(z.string()),
  }))()

/** Reads a job's id, its JSON, the text of its JSON, or its handle. @throws ConfigurationError */
export function readJobReference(source: string | JobJson | { toJSON(): JobJson }): JobReference {
  return readArguments('jobs.attach', () => {
    const value = typeof source === 'string' && source.startsWith('{') ? tryParseJson(source) : jsonOf(source)
    if (typeof value === 'string' && value !== '') return { jobId: value }
    const checked = z.safeParse(jobJsonSchema, value)
    if (checked.success && checked.data.job_id !== '') {
      const { job_id, model_id, request_id } = checked.data
      return { jobId: job_id, modelId: model_id, requestId: request_id }
    }
    throw new ConfigurationError({
      message: `A job must be an id or the JSON of a job handle, \`{ "job_id": "…" }\`, not ${showValue(source)}.`,
    })
  })
}

/** A handle of another copy of this package has another class. It is recognized by its `toJSON`. */
function jsonOf(source: unknown): unknown {
  const isHandle = typeof source === 'object' && source !== null && 'toJSON' in source
  return isHandle && typeof source.toJSON === 'function' ? source.toJSON() : source
}
