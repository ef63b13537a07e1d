import type { Job, Model, RunRequest } from '@modelrun/contract'
import type { ApiResult, CallOptions } from '../client/http/operation.ts'
import type { CancelResult } from '../client/jobs/job-operations.ts'
import type { AnyRunResponse } from '../client/runs/run-operation.ts'
import type { Clock } from '../shared/clock.ts'
import type { Secret } from '../shared/signing/keyring.ts'
import type { BudgetStore } from './budget/budget-store.ts'

/** The user of a request. */
export interface ProxyIdentity {
  /** Names the user, for as long as it may read its jobs: the id of an account, or a random value in a session. */
  user: string
  /** The budget of this user, in credits for each window, instead of `budget.credits`. */
  credits?: number | undefined
}

/** What `authorize` knows beyond the request. */
export interface AuthorizeContext {
  /** What the framework handed over: the request of Node or Express, with what middleware added; or the web-standard one. */
  raw: unknown
}

/** Gives the user of a request, or nothing when there is none: then the page gets a 401. */
export type Authorize = (
  request: Request,
  context: AuthorizeContext,
) => ProxyIdentity | undefined | null | false | Promise<ProxyIdentity | undefined | null | false>

/** What users may spend. */
export interface ProxyBudget {
  /** Credits that each user may spend in one window. `Infinity` for no limit: then nothing is counted. */
  credits: number
  /** Credits that all users together may spend in one window. Default: no limit. */
  totalCredits?: number | undefined
  /** Length of a window in milliseconds; one of 24 h is a day of UTC. `Infinity`: what is spent counts for ever. Default 24 h. */
  windowMs?: number | undefined
  /** Stores what was spent. Default: the memory of this process. */
  store?: BudgetStore | undefined
}

/** The request that `onError` is about. */
export interface ProxyErrorContext {
  /** The HTTP method. */
  method: string
  /** Path without query. */
  path: string
  /** Undefined before the user was known. */
  user?: string | undefined
}

/** Options of `createProxy`. */
export interface ProxyOptions {
  /** Has the key and the url of the service. A `ModelRun` fits. */
  client: ProxyClient
  /** Ids of the models that pages may see and run, in the order of their list. */
  models: readonly string[]
  /** Signs the ids of jobs: 32 bytes at least, the same in all processes. Of several by id, the first signs and all verify. */
  secret: Secret | undefined
  /** Gives the user of each request. Required, unless everybody may run models. */
  authorize?: Authorize | undefined
  /** Lets everybody run models at your cost, as one user with one `budget`, which is required then. Default false. */
  dangerouslyAllowAnyone?: boolean | undefined
  /** Path of the proxy on your server. Default `/api/modelrun`. */
  basePath?: string | undefined
  /** Other origins whose pages may use the proxy, like `https://app.example.com` or `capacitor://localhost`. Default: none. */
  allowedOrigins?: readonly string[] | undefined
  /**
   * The names of your site, like `app.example.com`: requests with another `Host` are rejected (DNS rebinding). The hosts of
   * `allowedOrigins`, `localhost` and IP addresses need no entry. Default: any name over https, and no other over http.
   */
  allowedHosts?: readonly string[] | undefined
  /** Rejects runs of models with a higher price, in credits for one run. Default: no limit. */
  maxCredits?: number | undefined
  /** Default: no limit. */
  budget?: ProxyBudget | undefined
  /** Whether a run may be held for about 55 s until it ends (section 8). False makes every run asynchronous. Default true. */
  holdRuns?: boolean | undefined
  /** Largest body of a run, in bytes. Default 1 MiB. */
  maxBodyBytes?: number | undefined
  /** Called with failures of the service, of `authorize` and of the budget store. Default: `console.error`. */
  onError?: ((error: unknown, context: ProxyErrorContext) => unknown) | undefined
  /** The clock. Default: that of the system. */
  clock?: Clock | undefined
}

/** One call of the client. */
interface ProxyCall<T> {
  /** The data with the HTTP response. */
  withResponse(): Promise<ApiResult<T>>
}

/** The part of the client that a proxy uses: a `ModelRun` fits. */
export interface ProxyClient {
  /** Reads and runs models (sections 4.2 and 4.3). */
  models: {
    get(id: string, options?: CallOptions): ProxyCall<Model>
    run(model: string, body: RunRequest, options?: CallOptions & { maxCredits?: number }): ProxyCall<AnyRunResponse>
  }
  /** Reads and cancels jobs (sections 4.4 and 4.5). */
  jobs: {
    get(id: string, options?: CallOptions): ProxyCall<Job>
    cancel(id: string, options?: CallOptions): ProxyCall<CancelResult>
  }
}
