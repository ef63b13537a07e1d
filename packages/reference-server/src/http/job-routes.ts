import { durationMs, type Job, type JobEnd, statusAt } from '../domain/job.ts'
import { outputOf } from '../domain/produce-output.ts'
import type { Service } from '../service/service.ts'
import type { AppContext } from './app-env.ts'
import { jsonResponse } from './json-response.ts'
import { refusals } from './refusals.ts'
import { statusLine } from './status-text.ts'

/** `GET /v1/jobs/{id}` (section 4.4). */
export function answerJob(service: Service, context: AppContext): Response {
  const job = findJob(service, context)
  if (job === undefined) return unknownJob()
  const status = statusAt(job, service.clock.now())
  const shown = service.options.assumptions.jobFields === 'full' ? moreFields(job) : {}
  context.env.trace.jobStatus = status
  const answer = jsonResponse(200, { data: { ...shown, status, ...result(job, service.baseUrl) } })
  service.jobs.countRead(job)
  if (job.end !== undefined) service.dispatcher.polled(job)
  service.jobTimers.watch(job)
  return answer
}

/** `DELETE /v1/jobs/{id}` (section 4.5). */
export function answerCancel(service: Service, context: AppContext): Response {
  const job = findJob(service, context)
  if (job === undefined) return unknownJob()
  const { cancelAnswer, cancelOfFinishedJob } = service.options.assumptions
  const isCancelled = service.jobs.end(job, { status: 'cancelled' })
  const status = statusAt(job, service.clock.now())
  context.env.trace.jobStatus = status
  if (!isCancelled && cancelOfFinishedJob === 'conflict') {
    return refusals.conflict(`The job is ${status}. Only a queued or processing job can be cancelled.`)
  }
  if (cancelAnswer === 'empty') return new Response(null, statusLine(204))
  return jsonResponse(200, { data: { job_id: job.id, status } })
}

function findJob(service: Service, context: AppContext): Job | undefined {
  const job = service.jobs.find(context.req.param('id') ?? '')
  const { trace } = context.env
  const isOwn = job?.account === context.get('apiKey').account
  if (isOwn) trace.job = job
  else trace.isForeignJob = job !== undefined
  return isOwn ? job : undefined
}

function unknownJob(): Response {
  return refusals.notFound('This account has no such job. The job_id of a run answer is what the path takes.')
}

function result(job: Job, baseUrl: string): object {
  if (job.end?.status === 'succeeded') return { output: outputOf(job, baseUrl) }
  return job.end?.status === 'failed' ? { error: job.end.error } : {}
}

function moreFields(job: Job): object {
  const { id: job_id, requestId: request_id, model, createdAt, end } = job
  const created_at = new Date(createdAt).toISOString()
  return { job_id, request_id, model_id: model.id, created_at, ...(end === undefined ? {} : endFields(job, end)) }
}

function endFields(job: Job, end: JobEnd): object {
  const credits_used = end.status === 'succeeded' ? job.model.pricing.credits_per_run : 0
  return { completed_at: new Date(end.at).toISOString(), duration_ms: durationMs(job, end), credits_used }
}
