import type { Job as JobBody, JobResponse, KnownJobStatus } from '@modelrun/contract'
import type { Rejection } from '@modelrun/contract/assumptions'
import { type Job, statusAt } from '../domain/job.ts'
import { outputOf } from '../domain/produce-output.ts'
import type { Service } from '../service/service.ts'
import { rejectionResponse } from '../wire/error-responses.ts'
import { emptyReply, jsonReply, type Reply } from '../wire/messages.ts'
import type { KeyContext, RouteHandler } from './app-env.ts'

const UNKNOWN_JOB = 'This account has no such job. The job_id of a run response is what the path takes.'

/** `GET /v1/jobs/{id}` (section 4.4). */
export const getJobRoute: RouteHandler = (service, context) => {
  const job = findJob(service, context)
  if (job === undefined) return { response: rejectionResponse(service.options.assumptions.unknownJob, UNKNOWN_JOB) }
  const jobStatus = statusAt(job, service.clock.now())
  const data: JobBody = { status: jobStatus, ...resultOf(job, service.baseUrl) }
  const response = jsonReply(200, { data } satisfies JobResponse)
  service.jobs.countRead(job)
  service.jobTimers.schedule(job)
  return { response, job, jobStatus }
}

function resultOf(job: Job, baseUrl: string): Pick<JobBody, 'output' | 'error'> {
  if (job.end?.status === 'succeeded') return { output: outputOf(job, baseUrl) }
  return job.end?.status === 'failed' ? { error: job.end.error } : {}
}

/** `DELETE /v1/jobs/{id}` (section 4.5). */
export const cancelJobRoute: RouteHandler = (service, context) => {
  const { cancelOfUnknownJob, cancelOfFinishedJob } = service.options.assumptions
  const job = findJob(service, context)
  if (job === undefined) {
    const shown = { id: context.req.param('id'), status: 'cancelled' } as const
    return { response: rejectedCancel(cancelOfUnknownJob, UNKNOWN_JOB) ?? cancelled(service, shown) }
  }
  const isCancelled = service.jobs.end(job, { status: 'cancelled' })
  const jobStatus = statusAt(job, service.clock.now())
  const message = `The job is ${jobStatus}. Only a queued or processing job can be cancelled.`
  const rejected = isCancelled ? undefined : rejectedCancel(cancelOfFinishedJob, message)
  return { response: rejected ?? cancelled(service, { id: job.id, status: jobStatus }), job, jobStatus }
}

function rejectedCancel(choice: 'accepted' | Rejection, message: string): Reply | undefined {
  return choice === 'accepted' ? undefined : rejectionResponse(choice, message)
}

/** The specification does not show this body. */
function cancelled({ options }: Service, { id, status }: { id: string; status: KnownJobStatus }): Reply {
  const { cancelStatus } = options.assumptions
  return cancelStatus === 204 ? emptyReply(204) : jsonReply(cancelStatus, { data: { job_id: id, status } })
}

function findJob({ jobs }: Service, { req, env }: KeyContext): Job | undefined {
  const job = jobs.find(req.param('id'))
  return job?.account === env.apiKey.account ? job : undefined
}
