import { type JobStatus, ROUTES } from '@modelrun/contract'
import * as z from 'zod/mini'
import { type Operation, UnreadableResponse } from '../http/operation.ts'
import { tryParseJson } from '../http/read-json.ts'
import { asKnownStatus } from './job-status.ts'

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
 * a web page is rejected: it is not from the service, and the job goes on.
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
