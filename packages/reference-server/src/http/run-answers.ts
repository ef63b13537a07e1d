import { API_VERSION, type RunIdentity, type RunProcessing, type RunQueued } from '@modelrun/contract'
import type { Assumptions } from '../assumptions/assumptions.ts'
import { durationMs, type Job, type JobEnd } from '../domain/job.ts'
import { outputOf } from '../domain/produce-output.ts'
import { jsonResponse } from './json-response.ts'

/** Answer to a run with `sync: false` (section 4.3). */
export function queuedAnswer(job: Job, { asyncRunStatus }: Assumptions): Response {
  return jsonResponse(asyncRunStatus, { ...identity(job, 'queued') } satisfies RunQueued)
}

/** Answer 202 to a run that goes on (section 4.3). */
export function processingAnswer(job: Job): Response {
  const reason = job.webhook === undefined ? 'The model is still working.' : 'The job was accepted.'
  const poll = `Poll GET /${API_VERSION}/jobs/${job.id}`
  const message = `${reason} ${poll}${job.webhook === undefined ? ' for the result.' : ', or wait for the webhook.'}`
  return jsonResponse(202, { ...identity(job, 'processing'), message } satisfies RunProcessing)
}

/** Answer to a run whose job ended while it was held (section 4.3). */
export function endedAnswer(job: Job, end: JobEnd, options: { baseUrl: string; assumptions: Assumptions }): Response {
  const { baseUrl, assumptions } = options
  if (end.status === 'succeeded') {
    return jsonResponse(200, {
      ...identity(job, 'completed'),
      output: outputOf(job, baseUrl),
      duration_ms: durationMs(job, end),
      credits_used: job.model.pricing.credits_per_run,
    })
  }
  if (end.status === 'failed') {
    return failedAnswer(job, end, assumptions)
  }
  const status = assumptions.cancelledSyncRunStatus
  const error = { code: 'CONFLICT', message: 'The job was cancelled while the run waited for its result.' }
  return jsonResponse(status, { ...identity(job, 'cancelled'), ...(status === 409 ? { error } : {}) })
}

/** An error alone is one only where the status code says so. */
function failedAnswer(job: Job, { error }: JobEnd, assumptions: Assumptions): Response {
  const { failedSyncRunStatus: status, failedSyncRunBody: body } = assumptions
  if (status === 202) return processingAnswer(job)
  const isAlone = body === 'error' && status >= 400
  return jsonResponse(status, isAlone ? { error } : { ...identity(job, 'failed'), error })
}

function identity<Status extends string>(job: Job, status: Status): RunIdentity & { status: Status } {
  return { job_id: job.id, request_id: job.requestId, status, model_id: job.model.id }
}
