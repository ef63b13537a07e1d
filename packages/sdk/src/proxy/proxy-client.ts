import type { Job, Model, RunRequest } from '@modelrun/contract'
import type { ApiResult, CallOptions } from '../http/operation.ts'
import type { CancelResult } from '../jobs/job-operations.ts'
import type { AnyRunResponse } from '../runs/run-operation.ts'

/** One call of the client. */
export interface ProxyCall<T> {
  /** The data with the HTTP response. */
  withResponse(): Promise<ApiResult<T>>
}

/** The part of the client that a proxy uses: a `ModelRun` fits. */
export interface ProxyClient {
  /** Reads and runs models (sections 4.2 and 4.3). */
  models: {
    get(id: string, options?: CallOptions): ProxyCall<Model>
    run(model: string, body: RunRequest, options?: CallOptions): ProxyCall<AnyRunResponse>
  }
  /** Reads and cancels jobs (sections 4.4 and 4.5). */
  jobs: {
    get(id: string, options?: CallOptions): ProxyCall<Job>
    cancel(id: string, options?: CallOptions): ProxyCall<CancelResult>
  }
}
