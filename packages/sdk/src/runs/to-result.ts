import type { Job, RunCompleted } from '@modelrun/contract'
import { SAVE_OPTIONS } from '../arguments/call-options.ts'
import { readOptions } from '../arguments/read-options.ts'
import type { Core } from '../core.ts'
import { rejectAtCaller } from '../errors/caller-stack.ts'
import { JobCancelledError, JobFailedError } from '../errors/job-errors.ts'
import { InvalidResponseError } from '../errors/transport-errors.ts'
import { saveFiles } from '../files/save-files.ts'
import type { JobReference } from '../jobs/job-reference.ts'
import type { RunOutcome, RunResult } from './run-result.ts'

/** Adds the method `save` to an outcome. It is not enumerable, so the result stays plain data for JSON, spread and test runners. */
export function toResult({ options, modelCache }: Core, outcome: RunOutcome): RunResult {
  const price = outcome.credits_per_run ?? modelCache.priceOf(outcome.model_id)
  const save: RunResult['save'] = (folder, saveOptions = {}) =>
    rejectAtCaller(save, () =>
      saveFiles(options, outcome, { ...readOptions('result.save', saveOptions, SAVE_OPTIONS), folder }),
    )
  const result = { ...outcome, ...(price === undefined ? {} : { credits_per_run: price }), save }
  return Object.defineProperty(result, 'save', { enumerable: false })
}

/** The outcome of a run that finished within the hold. */
export function outcomeOfCompleted(run: RunCompleted): RunOutcome {
  return { ...run, status: 'succeeded' }
}

/** The outcome of a job that ended. @throws JobFailedError, JobCancelledError, InvalidResponseError */
export function outcomeOfJob(reference: JobReference, job: Job): RunOutcome {
  const { jobId, requestId, creditsPerRun } = reference
  const modelId = reference.modelId ?? modelIdOf(job)
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
      message: `The job ${jobId} is ${job.status}, but the service sent no output. Read it again with jobs.get.`,
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
    ...(creditsPerRun === undefined ? {} : { credits_per_run: creditsPerRun }),
    ...numberField(job, 'duration_ms'),
  }
}

/** The specification leaves further fields of a job open (section 2.4). They are read when they are present. */
function modelIdOf(job: Job): string | undefined {
  const value: unknown = Reflect.get(job, 'model_id')
  return typeof value === 'string' ? value : undefined
}

/** As {@link modelIdOf}. */
function numberField<K extends 'credits_used' | 'duration_ms'>(job: Job, key: K): Partial<Record<K, number>> {
  const value: unknown = Reflect.get(job, key)
  // The computed key is K: the record has no other.
  return typeof value === 'number' ? ({ [key]: value } as Record<K, number>) : {}
}
