import { type Job, jobSchema, runCompletedSchema, succeededDeliverySchema } from '@modelrun/contract'
import type { ApiResult } from '../client/http/operation.ts'
import { chargeOf, type ProxyCore, settle, type Visit } from './proxy-core.ts'
import { failureResponse, isForOperator, namedMembers, reply, shownCode, shownError, unknownJob } from './reply.ts'
import type { SealedJob } from './sealed-jobs.ts'

/** The client of the page sends again what may be sent again. */
const ONCE = { maxRetries: 0 }

/** `GET /v1/jobs/{id}` (section 4.4). The first poll of a job that has ended settles what was reserved for it. */
export async function getJob(core: ProxyCore, visit: Visit, token: string): Promise<Response> {
  return respond(visit, await core.seals.open(visit.identity.user, token), async (job) => {
    const { data, requestId } = await readState(core, visit, job)
    return { body: { data: shownJob(data, token) }, requestId }
  })
}

/** `DELETE /v1/jobs/{id}` (section 4.5). */
export async function cancelJob(core: ProxyCore, visit: Visit, token: string): Promise<Response> {
  return respond(visit, await core.seals.open(visit.identity.user, token), async (job) => {
    const { data, requestId } = await core.options.client.jobs.cancel(job.jobId, ONCE).withResponse()
    // The response to the cancel does not decide: its body is not specified, and a job that had ended was charged.
    if (job.reservation !== undefined) {
      // Without a status in the response the client has read the job.
      const settled =
        data.job === undefined ? readState(core, visit, job) : settleJob(core, visit, { job, state: data.job })
      await settled.catch(visit.report)
    }
    return { body: { data: { job_id: token, status: data.status } }, requestId }
  })
}

async function respond(
  visit: Visit,
  job: SealedJob | undefined,
  read: (job: SealedJob) => Promise<{ body: object; requestId: string | undefined }>,
): Promise<Response> {
  if (job === undefined) return unknownJob()
  try {
    const { body, requestId } = await read(job)
    return reply(200, body, { 'x-request-id': shownCode(requestId) })
  } catch (error) {
    if (isForOperator(error)) visit.report(error)
    return failureResponse(error, { isRun: false })
  }
}

async function readState(core: ProxyCore, visit: Visit, job: SealedJob): Promise<ApiResult<Job>> {
  const result = await core.options.client.jobs.get(job.jobId, ONCE).withResponse()
  await settleJob(core, visit, { job, state: result.data })
  return result
}

interface ReadJob {
  job: SealedJob
  state: Job
}

async function settleJob(core: ProxyCore, visit: Visit, { job, state }: ReadJob): Promise<void> {
  await settle(core, visit, { job, charged: chargeOf(state, job.reservation?.credits ?? 0) })
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
