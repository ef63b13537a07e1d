import type { Job, Output, RunCompleted } from '@modelrun/contract'
import { JobCancelledError, JobFailedError } from '../errors/job-errors.ts'
import { InvalidResponseError } from '../errors/transport-errors.ts'
import type { JobReference } from '../jobs/job-reference.ts'

/** What a run produced, whichever way the service delivered it. */
export interface RunResult {
  job_id: string
  /** Identifier of the request at the underlying provider; absent when only the job's id was known. */
  request_id?: string | undefined
  /** Absent when only the job's id was known. */
  model_id?: string | undefined
  /** The wire's `completed` and `succeeded` are one outcome. */
  status: 'succeeded'
  output: Output
  /** Credits charged, when the service told. */
  credits_used?: number | undefined
  /** Processing time in milliseconds, when the service told. */
  duration_ms?: number | undefined
}

/** The result of a run that finished within the hold. */
export function resultOfCompleted(run: RunCompleted): RunResult {
  return { ...run, status: 'succeeded' }
}

/** The result of a job that ended. @throws JobFailedError, JobCancelledError, InvalidResponseError */
export function resultOfJob(reference: JobReference, job: Job): RunResult {
  const { jobId, modelId, requestId } = reference
  if (job.status === 'failed') {
    const reason = job.error ? `[${job.error.code}] ${job.error.message}` : 'The service gave no reason.'
    throw new JobFailedError({ message: `The job ${jobId} failed: ${reason}`, jobId, job, submission: 'accepted' })
  }
  if (job.status === 'cancelled') {
    const message = `The job ${jobId} was cancelled. It is not charged.`
    throw new JobCancelledError({ message, jobId, job, submission: 'accepted' })
  }
  if (job.output === undefined) {
    throw new InvalidResponseError({
      message: `The job ${jobId} is ${job.status}, but the service sent no output. Look at it again with jobs.get.`,
      jobId,
      submission: 'accepted',
      isRetryable: true,
    })
  }
  return {
    job_id: jobId,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(modelId === undefined ? {} : { model_id: modelId }),
    status: 'succeeded',
    output: job.output,
    ...numberField(job, 'credits_used'),
    ...numberField(job, 'duration_ms'),
  }
}

/** The specification leaves the further fields of a job open (section 2.4); these two are taken when they are there. */
function numberField<K extends 'credits_used' | 'duration_ms'>(job: Job, key: K): Partial<Record<K, number>> {
  const value: unknown = Reflect.get(job, key)
  // The computed key is K: the record has no other.
  return typeof value === 'number' ? ({ [key]: value } as Record<K, number>) : {}
}
