import type { Job, Model, RunRequest } from '@modelrun/contract'
import type { ApiResult, CallOptions } from '../http/operation.ts'
import type { CancelResult } from '../jobs/cancel-job.ts'
import type { RunAnswer } from '../runs/run-answer.ts'

/** One call of the client. */
export interface ProxyCall<T> {
  withResponse(): Promise<ApiResult<T>>
}

/** The part of the client that a proxy uses: a `ModelRun` fits. */
export interface ProxyClient {
  models: {
    get(id: string, options?: CallOptions): ProxyCall<Model>
    run(model: string, body: RunRequest, options?: CallOptions): ProxyCall<RunAnswer>
  }
  jobs: {
    get(id: string, options?: CallOptions): ProxyCall<Job>
    cancel(id: string, options?: CallOptions): ProxyCall<CancelResult>
  }
}
