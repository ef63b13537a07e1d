import type { Job } from '@modelrun/contract'
import type { JobReader } from './inbox-options.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** The service does not say yet what the delivery says: look again later. */
export class UnconfirmedError extends Error {
  override get name(): 'UnconfirmedError' {
    return 'UnconfirmedError'
  }
}

/** What the service says about the job of an event. @throws UnconfirmedError while the job is not finished there */
export async function confirmEvent(event: WebhookEvent, client: JobReader | undefined): Promise<WebhookEvent> {
  if (client === undefined) return event
  const job = await client.jobs.get(event.job_id)
  switch (job.status) {
    case 'succeeded':
      return succeeded(event, job)
    case 'failed':
      return { job_id: event.job_id, status: 'failed', error: job.error ?? { code: 'UNKNOWN', message: '' } }
    case 'queued':
    case 'processing':
      throw new UnconfirmedError(
        `The delivery for the job ${event.job_id} says it ended; the service says ${job.status}.`,
      )
    default:
      return { status: 'unknown', job_id: event.job_id, reported_status: job.status, payload: { ...job } }
  }
}

/** The output is the service's. Credits and time are only in the delivery, and are taken when it agrees. */
function succeeded(event: WebhookEvent, job: Job): WebhookEvent {
  if (event.status === 'succeeded' && job.output !== undefined) return { ...event, output: job.output }
  return { status: 'unknown', job_id: event.job_id, reported_status: job.status, payload: { ...job } }
}
