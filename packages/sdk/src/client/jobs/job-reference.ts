import type { Job } from '@modelrun/contract'
import { type Attempt, ConfigurationError, memberOf, readArguments, showValue, tryParseJson } from '@modelrun/kit'

/** The ids of a job, and what is known of its submission. */
export interface JobReference {
  jobId: string
  modelId?: string | undefined
  requestId?: string | undefined
  /** The service's id of the request that started the job, from its header. */
  sentRequestId?: string | undefined
  /** When it was submitted, in milliseconds of this client's clock; undefined when another process did that. */
  submittedAt?: number | undefined
  /** When the service gave its state in the response to the run. */
  seenAt?: number | undefined
  /** That state. */
  state?: Job | undefined
  /** The requests that started it. */
  attempts?: readonly Attempt[] | undefined
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

/** Reads a job's id, its JSON, the text of its JSON, or its handle. @throws ConfigurationError */
export function readJobReference(source: string | JobJson | { toJSON(): JobJson }): JobReference {
  return readArguments('jobs.attach', () => {
    const value = typeof source === 'string' && source.startsWith('{') ? tryParseJson(source) : jsonOf(source)
    if (typeof value === 'string' && value !== '') return { jobId: value }
    const jobId = memberOf(value, 'job_id')
    const modelId = memberOf(value, 'model_id')
    const requestId = memberOf(value, 'request_id')
    if (isString(jobId) && jobId !== '' && isOptionalString(modelId) && isOptionalString(requestId)) {
      return { jobId, modelId, requestId }
    }
    throw new ConfigurationError({
      message: `A job must be an id or the JSON of a job handle, \`{ "job_id": "…" }\`, not ${showValue(source)}.`,
    })
  })
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || isString(value)
}

/** A handle of another copy of this package has another class. It is recognized by its `toJSON`. */
function jsonOf(source: unknown): unknown {
  const isHandle = typeof source === 'object' && source !== null && 'toJSON' in source
  return isHandle && typeof source.toJSON === 'function' ? source.toJSON() : source
}
