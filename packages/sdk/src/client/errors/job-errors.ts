import type { Job, ServiceErrorCode } from '@modelrun/contract'
import { type ErrorFields, ModelRunError, named } from '@modelrun/kit'
import { InvalidResponseError } from './transport-errors.ts'

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
export class JobFailedError extends /* @__PURE__ */ named(JobEndError, 'JobFailedError', 'job_failed') {
  /** `error.code` of the job (section 7), e.g. `PROVIDER_FAILURE`. */
  declare readonly failureCode?: ServiceErrorCode | undefined

  /** `failureCode` is that of the job. */
  constructor(fields: JobEndFields) {
    super(fields)
    if (fields.job.error !== undefined) this.failureCode = fields.job.error.code
  }
}

/** The job was cancelled (section 3). It is not charged. */
export class JobCancelledError extends /* @__PURE__ */ named(JobEndError, 'JobCancelledError', 'job_cancelled') {}

/** The error for a job that has succeeded, as the service says, and has no output. */
export function noOutputError(jobId: string, fields: Omit<ErrorFields, 'message'>): InvalidResponseError {
  const message = `The job ${jobId} is succeeded, but the service sent no output. Read it again with jobs.get.`
  return new InvalidResponseError({ jobId, submission: 'accepted', ...fields, message })
}
