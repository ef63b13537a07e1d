import type { Job, JobEnd } from '../domain/job.ts'
import { providerFailure } from '../domain/job.ts'
import { outputOf } from '../domain/produce-output.ts'
import type { DeliveryBody } from './delivery-record.ts'

/** What is sent when a job has ended (section 6). */
export function deliveryBody(job: Job, end: JobEnd, baseUrl: string): DeliveryBody {
  switch (end.status) {
    case 'succeeded':
      return {
        job_id: job.id,
        status: 'succeeded',
        output: outputOf(job, baseUrl),
        credits_used: job.model.pricing.credits_per_run,
        completed_at: new Date(end.at).toISOString(),
      }
    case 'failed':
      return { job_id: job.id, status: 'failed', error: end.error ?? providerFailure(job.model) }
    case 'cancelled':
      return { job_id: job.id, status: 'cancelled' }
  }
}
