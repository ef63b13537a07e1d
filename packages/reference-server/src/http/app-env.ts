import type { Context } from 'hono'
import type { Work } from '../clock/activity.ts'
import type { ApiKey } from '../domain/api-keys.ts'
import type { Job } from '../domain/job.ts'
import type { ResponseOrFault } from '../faults/fault.ts'
import type { FaultKind } from '../faults/fault-options.ts'
import type { Service } from '../service/service.ts'
import type { RequestTrace, RouteDetails, RouteResult } from './route-result.ts'

/** A fault that was injected into a request. */
interface InjectedFault {
  /** Name of the fault within the account. */
  id: string
  kind: FaultKind
  /** Takes the place of the response. */
  result: ResponseOrFault
}

/** What every handler knows about a request besides the request. */
export interface AppEnv {
  Bindings: {
    /** IP address of the client. */
    ip: string
    /** Whether it came over a socket, and not from a client in this process. */
    isOverSocket: boolean
    /** Sends a request to this server, as a client in this process does. */
    handle(
      request: Request,
      context: { transport: 'fetch'; onJob?: ((job: Job) => void) | undefined },
    ): Promise<ResponseOrFault>
    /** Called with the job of a run as soon as it exists. */
    onJob?: ((job: Job) => void) | undefined
    /** The checked body of a call of the control API. */
    called?: unknown
    /** To park while the request waits on the clock. */
    work: Work
    /** Set by `createApp`. */
    route?: RequestTrace['route']
    /** The key of the request, for the journal; set by `authenticate`. */
    apiKey?: ApiKey
    /** Set by `respond`. */
    details?: RouteDetails
    /** Set by `injectFaults`. */
    injected?: InjectedFault | undefined
  }
  Variables: {
    /** The key of the request: every path below `/v1` has one. */
    apiKey: ApiKey
  }
}

export type AppContext = Context<AppEnv>

/** Serves an endpoint. */
export type RouteHandler = (service: Service, context: AppContext) => RouteResult | Promise<RouteResult>

/** Hands the response to the router, and what is known with it to the journal. */
export function respond({ env }: AppContext, { response, ...details }: RouteResult): Response {
  env.details = details
  return response
}
