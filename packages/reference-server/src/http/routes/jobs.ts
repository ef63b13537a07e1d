import type { Assumptions } from '@modelrun/contract'
import { type Job, statusAt } from '../../domain/job.ts'
import { jobField, moreFields } from '../../domain/job-field.ts'
import { outputOf } from '../../domain/produce-output.ts'
import type { Service } from '../../service/service.ts'
import type { KeyContext, RouteDetails, RouteHandler, RouteResult } from '../app-env.ts'
import { reject, withMembers } from '../error-responses.ts'
import { firstMistake } from '../first-mistake.ts'
import { emptyReply, jsonReply } from '../messages.ts'

const UNKNOWN_JOB = 'This account has no such job. The job_id of a run response is what the path takes.'

const OWN_FORM = `job_${'0'.repeat(24)}`

/** `GET /v1/jobs/{id}` (section 4.4). */
export const getJobRoute: RouteHandler = (service, context, lacking) => {
  const { job, isForeignJob } = findJob(service, context)
  const unknown = () =>
    malformed(service, context) ?? reject(service, 'unknownJob', { message: UNKNOWN_JOB, isForeignJob })
  const isNowhere = job === undefined && !isForeignJob
  const rejected = firstMistake(service, { 'jobs:read': lacking, ...(isNowhere ? { job: unknown } : {}) })
  if (rejected !== undefined || job === undefined) return rejected ?? unknown()
  const { jobFields, memberValues, absentJobFields, unfinishedJobStatus, errorMembers } = service.options.assumptions
  const jobStatus = statusAt(job, service.clock.now())
  const place = { status: jobStatus, values: memberValues }
  const more = moreFields(jobFields, jobStatus, (name) => jobField(job, name, place))
  const absent = absentJobFields === 'null' ? { output: null, error: null } : {}
  const data = { ...more, status: jobStatus, ...absent, ...result(job, service.baseUrl, errorMembers.jobs) }
  const beside = jobFields.flatMap((field) => (field.startsWith('/') ? [field.slice(1)] : []))
  const body = { ...Object.fromEntries(beside.map((name) => [name, jobField(undefined, name, place)])), data }
  const response = jsonReply(job.end === undefined ? unfinishedJobStatus : 200, body)
  service.jobs.countRead(job)
  if (job.end !== undefined) service.dispatcher.polled(job)
  service.jobTimers.schedule(job)
  return { response, job, jobStatus }
}

/** `DELETE /v1/jobs/{id}` (section 4.5). */
export const cancelJobRoute: RouteHandler = (service, context, lacking) => {
  const { job, isForeignJob } = findJob(service, context)
  const unknown = () =>
    malformed(service, context) ??
    cancelResult(service, { isForeignJob }, { kind: 'cancelOfUnknownJob', message: UNKNOWN_JOB })
  const isNowhere = job === undefined && !isForeignJob
  const rejected = firstMistake(service, { 'jobs:write': lacking, ...(isNowhere ? { cancelledJob: unknown } : {}) })
  if (rejected !== undefined || job === undefined) return rejected ?? unknown()
  const isCancelled = service.jobs.end(job, { status: 'cancelled' })
  const jobStatus = statusAt(job, service.clock.now())
  const kind = jobStatus === 'cancelled' ? 'cancelOfCancelledJob' : 'cancelOfFinishedJob'
  const message = `The job is ${jobStatus}. Only a queued or processing job can be cancelled.`
  return cancelResult(service, { job, jobStatus }, isCancelled ? undefined : { kind, message })
}

/** A cancel that changes nothing. */
interface IneffectiveCancel {
  kind: 'cancelOfUnknownJob' | 'cancelOfFinishedJob' | 'cancelOfCancelledJob'
  message: string
}

/** The response to a cancel. An ineffective one may be rejected, or have a status code of its own. */
function cancelResult(service: Service, details: RouteDetails, ineffective?: IneffectiveCancel): RouteResult {
  const { cancelStatus, cancelFields, memberValues, rejections } = service.options.assumptions
  const choice = ineffective === undefined ? 'accepted' : rejections[ineffective.kind]
  if (ineffective !== undefined && typeof choice === 'object' && choice.status >= 300) {
    return reject(service, ineffective.kind, { ...details, message: ineffective.message })
  }
  const status = choice === 'accepted' ? cancelStatus : choice.status
  const fields = (choice === 'accepted' ? undefined : choice.fields) ?? cancelFields
  const hasBody = status !== 204 && fields.length > 0
  const response = hasBody
    ? jsonReply(
        status,
        bodyOf(fields, (name) => cancelField(details, name, memberValues)),
      )
    : emptyReply(status)
  return { ...details, response }
}

/** An object with members at these JSON pointers, each with the value that its last name asks for. */
export function bodyOf(pointers: readonly string[], member: (name: string) => unknown): object {
  const body: Record<string, unknown> = {}
  for (const pointer of pointers) {
    const names = pointer.split('/').slice(1)
    const last = names.pop() ?? ''
    let parent = body
    for (const name of names) {
      const known = parent[name]
      const child = typeof known === 'object' && known !== null ? { ...known } : {}
      parent[name] = child
      parent = child
    }
    parent[last] = member(last)
  }
  return body
}

function cancelField({ job, jobStatus }: RouteDetails, name: string, values: Assumptions['memberValues']): unknown {
  if (name === 'status') return jobStatus ?? null
  if (name === 'message') return jobStatus === undefined ? 'There is no such job.' : `The job is ${jobStatus}.`
  return jobField(job, name, { status: jobStatus ?? 'cancelled', values })
}

function findJob(service: Service, context: KeyContext): Pick<RouteDetails, 'job' | 'isForeignJob'> {
  const job = service.jobs.find(context.req.param('id'))
  return job?.account === context.env.apiKey.account ? { job } : { isForeignJob: job !== undefined }
}

/** Rejects an id for its form, where that counts. */
function malformed(service: Service, context: KeyContext): RouteResult | undefined {
  const { malformedJobId } = service.options.assumptions.rejections
  const isLike = (id: string | undefined) => formOf(id) === formOf(context.req.param('id'))
  if (malformedJobId === 'unknown' || isLike(OWN_FORM) || isLike(malformedJobId.rightForm)) return undefined
  return reject(service, 'malformedJobId', { message: 'The id of a job has another form: it starts with job_.' })
}

/** A count may have more digits than another. */
function formOf(id = ''): string {
  return /^\d+$/.test(id) ? '0' : id.replace(/[\da-z]/gi, 'a')
}

function result(job: Job, baseUrl: string, members: Assumptions['errorMembers']['jobs']): object {
  if (job.end?.status === 'succeeded') return { output: outputOf(job, baseUrl) }
  return job.end?.status === 'failed' ? withMembers({ error: job.end.error }, members, job) : {}
}
