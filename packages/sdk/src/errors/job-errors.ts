import type { ErrorCode, Job } from '@modelrun/contract'
import { type ErrorFields, guard, ModelRunError } from './model-run-error.ts'

/** The fields of an error about the end of a job, besides those of every error. */
export interface JobEndFields extends ErrorFields {
  jobId: string
  job: Job
}

/** Base class of the errors for a job that ended without a result. */
abstract class JobEndError extends ModelRunError {
  /** The job in the service's last response. */
  readonly job: Job

  constructor(fields: JobEndFields) {
    super(fields)
    this.job = fields.job
  }
}

/** The job ended `failed` (section 3). */
export class JobFailedError extends JobEndError {
  override get name(): 'JobFailedError' {
    return 'JobFailedError'
  }
  override get code(): 'job_failed' {
    return 'job_failed'
  }
  /** `error.code` of the job (section 7), e.g. `PROVIDER_FAILURE`. */
  declare readonly failureCode?: ErrorCode | undefined

  constructor(fields: JobEndFields) {
    super(fields)
    if (fields.job.error !== undefined) this.failureCode = fields.job.error.code
  }
}

/** Whether an error is a `JobFailedError`: the job ended `failed`. */
export const isJobFailedError = /* @__PURE__ */ guard<JobFailedError>('JobFailedError')

/** The job was cancelled (section 3). It is not charged. */
export class JobCancelledError extends JobEndError {
  override get name(): 'JobCancelledError' {
    return 'JobCancelledError'
  }
  override get code(): 'job_cancelled' {
    return 'job_cancelled'
  }
}

/** Whether an error is a `JobCancelledError`: the job was cancelled. */
export const isJobCancelledError = /* @__PURE__ */ guard<JobCancelledError>('JobCancelledError')

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

/** Whether an error is a `DurableRunError`: a run of a durable batch was rejected, or may have been sent. */
export const isDurableRunError = /* @__PURE__ */ guard<DurableRunError>('DurableRunError')
