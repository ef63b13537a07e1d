import type { ErrorCode, Job } from '@modelrun/contract'
import { type ErrorFields, ModelRunError } from './model-run-error.ts'

/** The fields of an error about the end of a job, besides those of every error. */
export interface JobEndFields extends ErrorFields {
  jobId: string
  job: Job
}

/** The job ended `failed` (section 3). */
export class JobFailedError extends ModelRunError {
  override get name(): 'JobFailedError' {
    return 'JobFailedError'
  }
  override get code(): 'job_failed' {
    return 'job_failed'
  }
  /** The job in the service's last response. */
  readonly job: Job
  /** `error.code` of the job (section 7), e.g. `PROVIDER_FAILURE`. */
  declare readonly failureCode?: ErrorCode | undefined

  constructor(fields: JobEndFields) {
    super(fields)
    this.job = fields.job
    if (fields.job.error !== undefined) this.failureCode = fields.job.error.code
  }
}

/** The job was cancelled (section 3). It is not charged. */
export class JobCancelledError extends ModelRunError {
  override get name(): 'JobCancelledError' {
    return 'JobCancelledError'
  }
  override get code(): 'job_cancelled' {
    return 'job_cancelled'
  }
  /** The job in the service's last response. */
  readonly job: Job

  constructor(fields: JobEndFields) {
    super(fields)
    this.job = fields.job
  }
}

/** The fields of a {@link DurableRunError}. */
export interface DurableRunFields extends ErrorFields {
  reason?: { readonly code: string; readonly message: string } | undefined
}

/**
 * A run of a durable batch was rejected (`submission` is `rejected`: nothing was charged), or may have been accepted
 * (`submission` is `unknown`: `resolve` or `resubmit` of the batch decides).
 */
export class DurableRunError extends ModelRunError {
  override get name(): 'DurableRunError' {
    return 'DurableRunError'
  }
  override get code(): 'durable_run' {
    return 'durable_run'
  }
  /** The failure as the batch stored it: `code` is that of an error of this package, `BUDGET_EXCEEDED`, or `process_died`. */
  declare readonly reason?: { readonly code: string; readonly message: string } | undefined

  constructor(fields: DurableRunFields) {
    super(fields)
    if (fields.reason !== undefined) this.reason = fields.reason
  }
}
