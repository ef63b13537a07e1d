import { type Job, type JobStatus, ROUTES, TERMINAL_JOB_STATUSES } from '@modelrun/contract'
import { memberOf, tryParseJson } from '@modelrun/kit'
import * as z from 'zod/mini'
import { type Operation, UnreadableResponse } from '../http/operation.ts'
import { readJob } from './read-job.ts'

/** The call of `GET /v1/jobs/{id}` (section 4.4). */
export function getJobOperation(jobId: string, isJobConfirmed?: boolean): Operation<Job> {
  return {
    route: ROUTES.getJob,
    parameters: { id: jobId },
    jobId,
    isJobConfirmed,
    read: (received) => withKnownStatus(readJob(received)),
  }
}

/** The result of a cancellation (section 4.5). */
export interface CancelResult {
  /** Identifier of the job. */
  job_id: string
  /** `cancelled`, or the status that the service gave. */
  status: JobStatus
}

const cancelBodySchema = /* @__PURE__ */ (() =>
  z.looseObject({
    status: z.optional(z.string()),
    data: z.optional(z.looseObject({ status: z.optional(z.string()) })),
  }))()

/**
 * The call of `DELETE /v1/jobs/{id}` (section 4.5). The body of its response is not specified, so any body is accepted. Only
 * a web page is rejected: it is not from the service, and the job continues.
 */
export function cancelJobOperation(jobId: string, isJobConfirmed?: boolean): Operation<CancelResult> {
  return {
    route: ROUTES.cancelJob,
    parameters: { id: jobId },
    jobId,
    isJobConfirmed,
    read: ({ text }) => {
      if (/^\s*</.test(text)) throw new UnreadableResponse('the body is a web page')
      return { job_id: jobId, status: asKnownStatus(statusIn(text) ?? 'cancelled') }
    },
    // An earlier attempt, whose response was lost, has cancelled the job.
    readError: ({ status }, mayHaveArrived) =>
      status === 404 && mayHaveArrived ? { data: { job_id: jobId, status: 'cancelled' } } : undefined,
  }
}

function statusIn(text: string): string | undefined {
  const checked = z.safeParse(cancelBodySchema, tryParseJson(text))
  return checked.success ? (checked.data.data?.status ?? checked.data.status) : undefined
}

/** True for a job that has ended. An unknown status counts as not finished (section 3). */
export function isFinished(job: Job): boolean {
  return isFinishedStatus(job.status)
}

/** True for a status that a job never leaves. An unknown one counts as not finished (section 3). */
export function isFinishedStatus(status: string): boolean {
  return (TERMINAL_JOB_STATUSES as readonly string[]).includes(asKnownStatus(status))
}

/**
 * The service has two words for one outcome, `completed` and `succeeded` (section 3). Both become `succeeded` here, in
 * every response and delivery: a client that waited for the other word would lose a paid result.
 */
export function asKnownStatus(status: string): string {
  return status === 'completed' ? 'succeeded' : status
}

/** The same value with the status of {@link asKnownStatus}. A value without a status is returned unchanged. */
export function withKnownStatus<T>(value: T): T {
  const status = memberOf(value, 'status')
  return status === 'completed' ? { ...value, status: asKnownStatus(status) } : value
}
