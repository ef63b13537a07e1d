import type { Job } from '@modelrun/contract'
import { asKnownStatus } from '../../jobs/job-operations.ts'
import type { UnknownEvent, WebhookEvent } from '../webhook-event.ts'

/**
 * Creates the event of a job that was polled.
 *
 * @param delivered the event of a delivery. Its `credits_used` and `completed_at`, which only deliveries have, are copied, unless
 * its output differs from that of the job: then the delivery is forged
 * @returns undefined while the job has not ended (section 3: unknown statuses count as not finished)
 */
export function eventOfJob(jobId: string, job: Job, delivered?: WebhookEvent): WebhookEvent | undefined {
  const event = endOfJob(jobId, job) ?? (delivered?.status === 'unknown' ? newerStatus(jobId, job) : undefined)
  if (event?.status !== 'succeeded' || delivered?.status !== 'succeeded') return event
  if (JSON.stringify(event.output) !== JSON.stringify(delivered.output)) return event
  const { credits_used, completed_at } = delivered
  return {
    ...event,
    ...(credits_used === undefined ? {} : { credits_used }),
    ...(completed_at === undefined ? {} : { completed_at }),
  }
}

function endOfJob(jobId: string, job: Job): WebhookEvent | undefined {
  if (job.status === 'cancelled') return unknownEvent(jobId, job)
  if (job.status === 'failed') {
    const error = job.error ?? { code: 'UNKNOWN', message: 'The service gave no reason.' }
    return { job_id: jobId, status: 'failed', error }
  }
  if (asKnownStatus(job.status) !== 'succeeded') return undefined
  const { output } = job
  return output === undefined ? unknownEvent(jobId, job) : { job_id: jobId, status: 'succeeded', output }
}

/** A delivery of an unknown status is confirmed when the job has an unknown status, too. */
function newerStatus(jobId: string, job: Job): UnknownEvent | undefined {
  return ['queued', 'processing'].includes(job.status) ? undefined : unknownEvent(jobId, job)
}

function unknownEvent(jobId: string, job: Job): UnknownEvent {
  return { status: 'unknown', job_id: jobId, reported_status: job.status, payload: { ...job } }
}
