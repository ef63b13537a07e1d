import { type Job, jobSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import { isFinished, withKnownStatus } from './job-operations.ts'

/**
 * The end of a job as a receiver delivers it.
 *
 * @returns undefined for an event that does not end the job
 * @throws TypeError for an event that cannot be used: of another job, or of another shape
 */
export function readDelivered(event: unknown, jobId: string): Job | undefined {
  const { data: job } = z.safeParse(jobSchema, withKnownStatus(event))
  const isOther = job !== undefined && 'job_id' in job && job.job_id !== jobId
  if (job === undefined || isOther) throw new TypeError(`it delivered what is not an event of this job`)
  if (!isFinished(job)) return undefined
  if (job.status === 'succeeded' && job.output === undefined)
    throw new TypeError('it delivered a success without output')
  return job
}
