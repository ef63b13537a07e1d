import { type Job, jobSchema, runCompletedSchema, succeededDeliverySchema } from '@modelrun/contract'
import type { ApiResult } from '../client/http/operation.ts'
import { failureReply, type ProxyCore, type Route, settleState, type Visit } from './proxy-core.ts'
import { namedMembers, reply, shownCode, shownError, unknownJob } from './reply.ts'
import type { SealedJob } from './sealed-jobs.ts'

/** The client of the page sends again what may be sent again. */
const ONCE = { maxRetries: 0 }

/** `GET /v1/jobs/{id}` (section 4.4). The first poll of a job that has ended settles what was reserved for it. */
export const getJob: Route = (core, visit, { id }) =>
  respond(core, visit, {
    id,
    read: async (job) => {
      const { data, requestId } = await readState(core, visit, job)
      return { data: shownJob(data, id), requestId }
    },
  })

/** `DELETE /v1/jobs/{id}` (section 4.5). */
export const cancelJob: Route = (core, visit, { id }) =>
  respond(core, visit, {
    id,
    read: async (job) => {
      const { data, requestId } = await core.options.client.jobs.cancel(job.jobId, ONCE).withResponse()
      const { reservation } = job
      // The response to the cancel does not decide: its body is not specified, and a job that had ended was charged.
      // Without a status in the response the client has read the job.
      if (data.job !== undefined) await settleState(core, visit, { reservation, state: data.job })
      else if (reservation !== undefined) await readState(core, visit, job).catch(visit.report)
      return { data: { job_id: id, status: data.status }, requestId }
    },
  })

interface AskedJob {
  id: string
  read(job: SealedJob): Promise<{ data: object; requestId: string | undefined }>
}

async function respond({ seals }: ProxyCore, visit: Visit, { id, read }: AskedJob): Promise<Response> {
  const job = await seals.open(visit.identity.user, id)
  if (job === undefined) return unknownJob()
  try {
    const { data, requestId } = await read(job)
    return reply(200, { data }, { 'x-request-id': shownCode(requestId) })
  } catch (error) {
    return failureReply(visit, error)
  }
}

async function readState(core: ProxyCore, visit: Visit, { jobId, reservation }: SealedJob): Promise<ApiResult<Job>> {
  const result = await core.options.client.jobs.get(jobId, ONCE).withResponse()
  await settleState(core, visit, { reservation, state: result.data })
  return result
}

/** A job may have the members of a run and of a delivery, too (section 2.4). */
const SCHEMAS = [jobSchema, runCompletedSchema, succeededDeliverySchema]

function shownJob(state: Job, token: string): object {
  const { error } = state
  return {
    ...namedMembers(SCHEMAS, state),
    ...('job_id' in state ? { job_id: token } : {}),
    ...(error === undefined ? {} : { error: shownError(error) }),
  }
}
