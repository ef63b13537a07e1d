import type { Assumptions } from '@modelrun/contract'
import {
  API_VERSION,
  LIMITS,
  type RunIdentity,
  type RunProcessing,
  type RunQueued,
  type RunRequest,
} from '@modelrun/contract'
import { durationMs, type Job, type JobEnd } from '../../domain/job.ts'
import { errorWith, jobField, moreFields } from '../../domain/job-field.ts'
import { outputOf } from '../../domain/produce-output.ts'
import type { Service } from '../../service/service.ts'
import { isQueuedFirst, startRun } from '../../service/start-run.ts'
import type { KeyContext, RouteHandler, RouteResult } from '../app-env.ts'
import { inOrder } from '../first-mistake.ts'
import { jsonReply, type Reply } from '../messages.ts'
import { bodyOf } from './jobs.ts'
import { type CheckedRun, noCredits, RunChecks } from './run-checks.ts'

type Checked = RouteResult | undefined

/** `POST /v1/models/{model}/run` (section 4.3). */
export const runModelRoute: RouteHandler = async (service, context, lacking) => {
  const modelId = context.req.param('model')
  const request = new RunChecks(service, context)
  for (const check of inOrder<Checked | Promise<Checked>>(service, { ...request.checks, 'models:run': lacking })) {
    const rejected = await check()
    if (rejected !== undefined) return { modelId, requestBody: request.requestBody, ...rejected }
  }
  const { requestBody } = request
  return { modelId, requestBody, ...(await runModel(service, context, request.order())) }
}

async function runModel(service: Service, context: KeyContext, { order }: CheckedRun): Promise<RouteResult> {
  const job = startRun(service, order)
  if (job === undefined) return noCredits(service, order)
  context.env.onJob?.(job)
  await deliverFirst(service, context, job)
  return { job, ...(await runResponse(service, context, { job, body: order })) }
}

/** A script may want the webhook called before the response to the run. A job that time does not end is not waited for. */
async function deliverFirst(service: Service, { env: { work } }: KeyContext, job: Job): Promise<void> {
  if (job.webhook?.when !== 'before-response' || job.endsAt === undefined) return
  service.jobs.settle()
  work.park()
  await service.dispatcher.settled(job)
  work.resume()
}

async function runResponse(
  service: Service,
  context: KeyContext,
  { job, body }: { job: Job; body: RunRequest },
): Promise<RouteResult> {
  const { assumptions } = service.options
  if (isQueuedFirst(body, assumptions)) return queuedResponse(job, assumptions)
  if (job.webhook === undefined) await holdRun(service, context, job)
  return job.webhook === undefined && job.end !== undefined
    ? endedResponse(service, job, job.end)
    : processingResponse(job, assumptions)
}

/** Holds the response until the job ends, about 55 s at most (section 8). */
async function holdRun(service: Service, { env: { work }, req }: KeyContext, job: Job): Promise<void> {
  service.jobs.settle() // A job may take no time at all.
  if (job.end !== undefined) return
  work.park()
  await service.heldRuns.hold(job, { forMs: LIMITS.syncWaitMs, signal: req.raw.signal })
  work.resume()
  service.jobs.settle()
}

/** The response to a run with `sync: false` (section 4.3). */
function queuedResponse(job: Job, assumptions: Assumptions): RouteResult {
  const body: RunQueued = identity(job, 'queued', assumptions)
  const response = jsonReply(assumptions.asyncRunStatus, body)
  return { response, jobStatus: 'queued' }
}

/** The 202 of a run that continues (section 4.3). */
function processingResponse(job: Job, assumptions: Assumptions): RouteResult {
  const reason = job.webhook === undefined ? 'The model is still working.' : 'The job was accepted.'
  const message = `${reason} ${pollAdvice(job)}`
  const response = jsonReply(202, { ...identity(job, 'processing', assumptions), message } satisfies RunProcessing)
  return { response, jobStatus: 'processing' }
}

function pollAdvice({ id, webhook }: Job): string {
  const poll = `Poll GET /${API_VERSION}/jobs/${id}`
  return webhook === undefined ? `${poll} for the result.` : `${poll}, or wait for the webhook.`
}

/** The response to a run whose job ended while the run was held (section 4.3). */
function endedResponse({ baseUrl, options }: Service, job: Job, end: JobEnd): RouteResult {
  switch (end.status) {
    case 'succeeded': {
      const output = outputOf(job, baseUrl)
      const { credits_per_run: credits_used } = job.model.pricing
      const named = { output, duration_ms: durationMs(job, end), credits_used }
      const body = { ...identity(job, 'completed', options.assumptions), ...named }
      return { response: jsonReply(200, body), jobStatus: 'completed' }
    }
    case 'failed':
      return { response: failedResponse(job, end, options.assumptions), jobStatus: 'failed' }
    case 'cancelled':
      return { response: cancelledResponse(job, options.assumptions), jobStatus: 'cancelled' }
  }
}

/** An error alone is sent only with a status code of an error. */
function failedResponse(job: Job, end: JobEnd, assumptions: Assumptions): Reply {
  const { failedSyncRunStatus: status, failedSyncRunBody: body, errorMembers } = assumptions
  const more = errorMembers.runs ?? {}
  const error = errorWith<NonNullable<JobEnd['error']> | { code?: undefined }>(end.error ?? {}, more, job)
  const isListed = typeof body !== 'string'
  if (status === 202 && !isListed) return processingResponse(job, assumptions).response
  const isAlone = body === 'error' && status >= 400
  const code = status >= 400 ? error.code : undefined
  const whole = { ...identity(job, 'failed', assumptions), error }
  const known = new Map<string, unknown>(Object.entries({ ...whole, ...error }))
  const place = { status: 'failed', values: assumptions.memberValues, isOfRun: true }
  const member = (name: string) => known.get(name) ?? jobField(job, name, place) ?? more[name] ?? null
  return jsonReply(status, isListed ? bodyOf(body, member) : isAlone ? { error } : whole, { code })
}

function cancelledResponse(job: Job, assumptions: Assumptions): Reply {
  const { cancelledSyncRunStatus: status } = assumptions
  const body = identity(job, 'cancelled', assumptions)
  if (status !== 409) return jsonReply(status, body)
  const error = { code: 'CONFLICT', message: 'The job was cancelled while the run waited for its result.' }
  return jsonReply(status, { ...body, error }, { code: error.code })
}

function identity<Status extends string>(
  job: Job,
  status: Status,
  assumptions: Assumptions,
): RunIdentity & { status: Status } {
  const named = { job_id: job.id, request_id: job.requestId, status, model_id: job.model.id }
  return { ...moreMembers(job, status, assumptions), ...named }
}

/** Members that section 4.3 does not name. What it names comes later, and so replaces them. */
function moreMembers(job: Job, status: string, { runFields, memberValues: values }: Assumptions): object {
  const member = (name: string) =>
    name === 'message' ? pollAdvice(job) : jobField(job, name, { status, values, isOfRun: true })
  return moreFields(runFields, status, member)
}
