import type { Job } from '@modelrun/contract'
import type { JobReader } from './inbox-options.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** The service does not say yet what the delivery says: look again later. */
export class UnconfirmedError extends Error {
  override get name(): 'UnconfirmedError' {
    return 'UnconfirmedError'
  }
}

/**
 * What the service says about the job of an event. Nothing of an {@link UnknownEvent} can be checked, so it stays one,
 * with the job as its payload.
 *
 * @throws UnconfirmedError while the job has not ended there (section 3: unknown statuses count as not finished)
 */
export async function confirmEvent(event: WebhookEvent, client: JobReader | undefined): Promise<WebhookEvent> {
  if (client === undefined) return event
  const { job_id, status } = event
  const job = await client.jobs.get(job_id)
  if (status === 'unknown' || job.status === 'cancelled') return unknown(job_id, job)
  if (job.status === 'failed') {
    return { job_id, status: 'failed', error: job.error ?? { code: 'UNKNOWN', message: 'The service gave no reason.' } }
  }
  if (job.status !== 'succeeded') {
    throw new UnconfirmedError(`The delivery for the job ${job_id} says ${status}; the service says ${job.status}.`)
  }
  const { output } = job
  if (status !== 'succeeded' || output === undefined) return unknown(job_id, job)
  // Credits and time are in the delivery alone; no other field of it that the service does not show is passed on.
  return { job_id, status, output, credits_used: event.credits_used, completed_at: event.completed_at }
}

function unknown(jobId: string, job: Job): WebhookEvent {
  return { status: 'unknown', job_id: jobId, reported_status: job.status, payload: { ...job } }
}
