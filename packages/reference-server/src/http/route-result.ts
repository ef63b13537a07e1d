import type { RouteName } from '@modelrun/contract'
import type { RejectionKind } from '../assumptions/rejections.ts'
import type { ApiKey } from '../domain/api-keys.ts'
import type { Job } from '../domain/job.ts'

/** What a route found out about a request. The journal and the hints are made from it. */
export interface RouteDetails {
  /** The model in the path, known or not. */
  modelId?: string | undefined
  /** The job of the request. */
  job?: Job | undefined
  /** Whether the job in the path belongs to another account. */
  isForeignJob?: boolean | undefined
  /** The job's status in the response: section 3, or `completed`. */
  jobStatus?: string | undefined
  /** At most its first 2,048 bytes. */
  requestBody?: string | undefined
  /** Which part of a run is wrong, unless the request as a whole is malformed. */
  rejectedPart?: 'input' | 'webhook' | undefined
  /** Sentences for the header `x-modelrun-hint` that only the route knows. */
  hints?: readonly string[] | undefined
  /** Why the request was rejected, where the specification does not define the response. */
  rejection?: RejectionKind | undefined
  /** Names of the assumptions behind the response that only the route knows. */
  assumptions?: readonly string[] | undefined
}

/** A response, and what its route found out. */
export interface RouteResult extends RouteDetails {
  response: Response
}

/** Everything that is known of a request when it has its response. */
export interface RequestTrace extends RouteDetails {
  /** Name of the endpoint in `ROUTES`, `getFile` or `control`; missing when no route matches. */
  route?: RouteName | 'getFile' | 'control' | undefined
  /** Missing without a key that may be used here. */
  apiKey?: ApiKey | undefined
}
