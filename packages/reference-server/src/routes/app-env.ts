import type { RouteName } from '@modelrun/contract'
import type { Work } from '../clock/activity.ts'
import type { ApiKey } from '../domain/api-keys.ts'
import type { FaultKind } from '../domain/fault-options.ts'
import type { Job } from '../domain/job.ts'
import type { Service } from '../service/service.ts'
import type { Handle, Reply } from '../wire/messages.ts'
import type { JsonBody } from '../wire/read-json-body.ts'
import type { RoutedRequest } from '../wire/router.ts'

/** What a route found out about a request. The journal is made from it. */
interface RouteDetails {
  job?: Job | undefined
  /** The job's status in the response: section 3, or `completed`. */
  jobStatus?: string | undefined
  requestBody?: string | undefined
}

/** A response, and what its route found out. */
export interface RouteResult extends RouteDetails {
  response: Reply
}

/** What is known about a request besides the request. */
export interface RequestEnv {
  readonly ip: string
  /** Whether it came over a socket, and not from a client in this process. */
  readonly isOverSocket: boolean
  /** To park while the request waits on the clock. */
  readonly work: Work
  /** Name of the endpoint in `ROUTES`, `getFile` or `control`; missing when no route matches. */
  route: RouteName | 'getFile' | 'control' | undefined
  /** The key of the request: every path below `/v1` has one, else the request is rejected. */
  apiKey: ApiKey | undefined
  details: RouteDetails | undefined
  /** A fault that was injected, by its name within the account. */
  injected: { id: string; kind: FaultKind } | undefined
  /** Sends a request to this server, as a client in this process does. */
  readonly handle: Handle
  /** Called with the job of a run as soon as it exists. */
  readonly onJob?: ((job: Job) => void) | undefined
  /** The body of a run, when a fault was looked for by it. */
  readBody?: Promise<JsonBody>
}

/** What every handler knows about a request. */
export interface AppContext {
  readonly req: RoutedRequest
  readonly env: RequestEnv
}

/** A request with a key that may be used. */
export interface KeyContext extends AppContext {
  readonly env: RequestEnv & { apiKey: ApiKey }
}

export type RouteHandler<Context = KeyContext> = (
  service: Service,
  context: Context,
) => RouteResult | Promise<RouteResult>
