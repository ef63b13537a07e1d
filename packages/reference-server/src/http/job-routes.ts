import { chargeOf, durationMs, type Job, type JobEnd, statusAt } from '../domain/job.ts'
import { outputOf } from '../domain/produce-output.ts'
import type { Service } from '../service/service.ts'
import type { AppContext } from './app-env.ts'
import { jsonResponse } from './json-response.ts'
import { reject } from './reject.ts'
import type { RequestTrace } from './request-trace.ts'
import { statusLine } from './status-text.ts'

const UNKNOWN_JOB = 'This account has no such job. The job_id of a run answer is what the path takes.'

/** `GET /v1/jobs/{id}` (section 4.4). */
export function answerJob(service: Service, context: AppContext): Response {
  const job = findJob(service, context)
  const { trace } = context.env
  if (job === undefined) return reject({ service, trace }, 'unknownJob', UNKNOWN_JOB)
  const { jobFields, absentJobFields, unfinishedJobStatus } = service.options.assumptions
  const status = statusAt(job, service.clock.now())
  trace.jobStatus = status
  const more = Object.fromEntries(jobFields.map((name) => [name, jobField(job, name)]))
  const absent = absentJobFields === 'null' ? { output: null, error: null } : {}
  const data = { ...more, status, ...absent, ...result(job, service.baseUrl) }
  const answer = jsonResponse(job.end === undefined ? unfinishedJobStatus : 200, { data })
  service.jobs.countRead(job)
  if (job.end !== undefined) service.dispatcher.polled(job)
  service.jobTimers.watch(job)
  return answer
}

/** `DELETE /v1/jobs/{id}` (section 4.5). */
export function answerCancel(service: Service, context: AppContext): Response {
  const job = findJob(service, context)
  if (job === undefined) return cancelResponse(service, context, { kind: 'cancelOfUnknownJob', message: UNKNOWN_JOB })
  const isCancelled = service.jobs.end(job, { status: 'cancelled' })
  const status = statusAt(job, service.clock.now())
  context.env.trace.jobStatus = status
  const kind = status === 'cancelled' ? 'cancelOfCancelledJob' : 'cancelOfFinishedJob'
  const message = `The job is ${status}. Only a queued or processing job can be cancelled.`
  return cancelResponse(service, context, isCancelled ? undefined : { kind, message })
}

interface UselessCancel {
  kind: 'cancelOfUnknownJob' | 'cancelOfFinishedJob' | 'cancelOfCancelledJob'
  message: string
}

/** The response to a cancel; one that changes nothing may be rejected, or have a status code of its own. */
function cancelResponse(service: Service, context: AppContext, odd?: UselessCancel): Response {
  const { trace } = context.env
  const { cancelStatus, cancelFields, rejections } = service.options.assumptions
  const choice = odd === undefined ? 'accepted' : rejections[odd.kind]
  if (odd !== undefined && choice !== 'accepted' && choice.status >= 300) {
    return reject({ service, trace }, odd.kind, odd.message)
  }
  const status = choice === 'accepted' ? cancelStatus : choice.status
  const fields = (choice === 'accepted' ? undefined : choice.fields) ?? cancelFields
  if (status === 204 || fields.length === 0) return new Response(null, statusLine(status))
  return jsonResponse(
    status,
    bodyOf(fields, (name) => cancelField(trace, name)),
  )
}

/** An object with members at these JSON pointers. */
function bodyOf(pointers: readonly string[], fieldOf: (name: string) => unknown): object {
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
    parent[last] = fieldOf(last)
  }
  return body
}

function cancelField({ job, jobStatus }: RequestTrace, name: string): unknown {
  if (name === 'status') return jobStatus ?? null
  if (name === 'message') return jobStatus === undefined ? 'There is no such job.' : `The job is ${jobStatus}.`
  return job === undefined ? null : jobField(job, name)
}

function findJob(service: Service, context: AppContext): Job | undefined {
  const job = service.jobs.find(context.req.param('id') ?? '')
  const { trace } = context.env
  const isOwn = job?.account === context.get('apiKey').account
  if (isOwn) trace.job = job
  else trace.isForeignJob = job !== undefined
  return isOwn ? job : undefined
}

function result(job: Job, baseUrl: string): object {
  if (job.end?.status === 'succeeded') return { output: outputOf(job, baseUrl) }
  return job.end?.status === 'failed' ? { error: job.end.error } : {}
}

/** What the server knows of a job beyond status, output and error; `null` for anything else. */
function jobField(job: Job, name: string): unknown {
  const { id, requestId, model, createdAt, end } = job
  switch (name) {
    case 'job_id':
    case 'id':
      return id
    case 'request_id':
      return requestId
    case 'model_id':
      return model.id
    case 'created_at':
      return new Date(createdAt).toISOString()
    default:
      return end === undefined ? null : endField(job, end, name)
  }
}

function endField(job: Job, end: JobEnd, name: string): unknown {
  switch (name) {
    case 'completed_at':
      return new Date(end.at).toISOString()
    case 'duration_ms':
      return durationMs(job, end)
    case 'credits_used':
      return chargeOf(job, end)
    default:
      return null
  }
}
