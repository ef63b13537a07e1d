import type { Job } from '@modelrun/contract'
import { asKnownStatus } from '../../jobs/job-status.ts'
import type { UnknownEvent, WebhookEvent } from '../webhook-event.ts'

/**
 * What the service says about a job, as an event. Nothing of an {@link UnknownEvent} can be checked, so it stays one,
 * with the job as its payload.
 *
 * @param delivered What a delivery said; without one, the job was looked at because none came
 * @returns Undefined while the job has not ended there (section 3: unknown statuses count as not finished)
 */
export function eventOfJob(jobId: string, job: Job, delivered?: WebhookEvent): WebhookEvent | undefined {
  if (delivered?.status === 'unknown' || job.status === 'cancelled') return unknownEvent(jobId, job)
  if (job.status === 'failed') {
    const error = job.error ?? { code: 'UNKNOWN', message: 'The service gave no reason.' }
    return { job_id: jobId, status: 'failed', error }
  }
  if (asKnownStatus(job.status) !== 'succeeded') return undefined
  const { output } = job
  if (output === undefined) return unknownEvent(jobId, job)
  // Credits and time are in the delivery alone; no other field of it that the service does not show is passed on.
  const { credits_used, completed_at } = delivered?.status === 'succeeded' ? delivered : {}
  return {
    job_id: jobId,
    status: 'succeeded',
    output,
    ...(credits_used === undefined ? {} : { credits_used }),
    ...(completed_at === undefined ? {} : { completed_at }),
  }
}

function unknownEvent(jobId: string, job: Job): UnknownEvent {
  return { status: 'unknown', job_id: jobId, reported_status: job.status, payload: { ...job } }
}
