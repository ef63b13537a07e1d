import { type JobStatus, ROUTES } from '@modelrun/contract'
import * as z from 'zod/mini'
import { type Operation, UnreadableResponse } from '../http/operation.ts'
import { tryParseJson } from '../http/read-json.ts'
import { asKnownStatus } from './job-status.ts'

/** What came of a cancellation (section 4.5). */
export interface CancelResult {
  /** Identifier of the job. */
  job_id: string
  /** `cancelled`, or what the service says that the job is. */
  status: JobStatus
}

const cancelBodySchema = /* @__PURE__ */ (() =>
  z.looseObject({
    status: z.optional(z.string()),
    data: z.optional(z.looseObject({ status: z.optional(z.string()) })),
  }))()

/**
 * The call of `DELETE /v1/jobs/{id}` (section 4.5). The body of its answer is not specified, so any will do; only a web
 * page is something else that answered, and the job goes on.
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
    // An earlier attempt, whose answer was lost, has done it.
    readError: ({ status }, mayHaveArrived) =>
      status === 404 && mayHaveArrived ? { data: { job_id: jobId, status: 'cancelled' } } : undefined,
  }
}

function statusIn(text: string): string | undefined {
  const checked = z.safeParse(cancelBodySchema, tryParseJson(text))
  return checked.success ? (checked.data.data?.status ?? checked.data.status) : undefined
}
