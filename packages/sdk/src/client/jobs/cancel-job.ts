import type { Core } from '../core.ts'
import type { ApiResult, CallContext } from '../http/operation.ts'
import { type CancelResult, cancelJobOperation, getJobOperation } from './job-operations.ts'

/**
 * Cancels a job (section 4.5). The body of the response is not specified. Without a status it says nothing of the job, which may
 * have succeeded before: then the job is read once, and only that decides.
 */
export async function cancelJob(
  { transport }: Core,
  jobId: string,
  { isJobConfirmed, ...context }: CallContext & { isJobConfirmed?: boolean },
): Promise<ApiResult<CancelResult>> {
  const { data: status, ...response } = await transport.call(cancelJobOperation(jobId, isJobConfirmed), context)
  if (status !== undefined) return { ...response, data: { job_id: jobId, status } }
  const read = { ...getJobOperation(jobId, isJobConfirmed), followsCancel: true }
  const { data: job } = await transport.call(read, context)
  return { ...response, data: { job_id: jobId, status: job.status, job } }
}
