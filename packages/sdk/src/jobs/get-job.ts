import { type Job, jobResponseSchema, ROUTES } from '@modelrun/contract'
import type { Operation } from '../http/operation.ts'
import { readJson } from '../http/read-json.ts'
import { withKnownStatus } from './job-status.ts'

/** The call of `GET /v1/jobs/{id}` (section 4.4). */
export function getJobOperation(jobId: string, isJobConfirmed?: boolean): Operation<Job> {
  const read = readJson(jobResponseSchema)
  return {
    route: ROUTES.getJob,
    parameters: { id: jobId },
    jobId,
    isJobConfirmed,
    read: (received) => withKnownStatus(read(received).data),
  }
}
