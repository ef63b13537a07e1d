import type { Context } from 'hono'
import type { Work } from '../clock/activity.ts'
import type { ApiKey } from '../domain/api-keys.ts'
import type { ResponseOrFault } from '../faults/fault.ts'
import type { FaultKind } from '../faults/fault-options.ts'
import type { RequestTrace } from './request-trace.ts'

/** What a fault made of a request. */
interface InjectedFault {
  /** Name of the fault within the account. */
  id: string
  kind: FaultKind
  answer: ResponseOrFault
}

/** What every handler knows about a request besides the request. */
export interface AppEnv {
  Bindings: {
    /** Address of the client. */
    ip: string
    /** Whether it came over a socket, and not from a client in this process. */
    isOverSocket: boolean
    /** To park while the request waits on the clock. */
    work: Work
    trace: RequestTrace
    /** The fault that struck the request. */
    injected?: InjectedFault | undefined
  }
  Variables: {
    /** Who asks; set for every path below `/v1`. */
    apiKey: ApiKey
  }
}

export type AppContext = Context<AppEnv>
