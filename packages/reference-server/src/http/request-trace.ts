import type { RouteName } from '@modelrun/contract'
import type { RejectionKind } from '../assumptions/rejections.ts'
import type { ApiKey } from '../domain/api-keys.ts'
import type { Job } from '../domain/job.ts'

/** What becomes known of a request on its way; the journal, the hints and the coverage are made from it. */
export interface RequestTrace {
  /** Name of the endpoint in `ROUTES`, `getFile` or `control`; missing when no route matches. */
  route?: RouteName | 'getFile' | 'control' | undefined
  /** Who asks; missing without a key that may be used here. */
  apiKey?: ApiKey | undefined
  /** The model in the path, known or not. */
  modelId?: string | undefined
  /** The job that it is about. */
  job?: Job | undefined
  /** Whether the job in the path is one of another account. */
  isForeignJob?: boolean | undefined
  /** The job's status as the answer tells it: section 3, or `completed`. */
  jobStatus?: string | undefined
  /** At most its first 2,048 bytes. */
  requestBody?: string | undefined
  /** What a 400 or 422 of a run is about, unless the request as a whole is malformed. */
  refusedFor?: 'input' | 'webhook' | undefined
  /** Sentences for the header `x-modelrun-hint` that only the handler can tell. */
  hints?: string[] | undefined
  /** What it was rejected for, where the specification does not say how. */
  refusal?: RejectionKind | undefined
  /** Names of the assumptions that only the handler knows to be behind its response. */
  assumptions?: string[] | undefined
}
