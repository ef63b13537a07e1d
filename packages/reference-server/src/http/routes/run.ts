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
import { outputOf } from '../../domain/produce-output.ts'
import type { Service } from '../../service/service.ts'
import { isQueuedFirst, startRun } from '../../service/start-run.ts'
import type { KeyContext, RouteResult } from '../app-env.ts'
import { errorResponses, reject } from '../error-responses.ts'
import { jsonReply, type Reply } from '../messages.ts'
import { findKey } from '../permissions.ts'
import { jobField } from './jobs.ts'
import { unknownModel } from './models.ts'
import { checkInput, checkWebhook, readRunRequest } from './run-request.ts'

/** `POST /v1/models/{model}/run` (section 4.3). */
export async function runModelRoute(service: Service, context: KeyContext): Promise<RouteResult> {
  const modelId = context.req.param('model')
  const isModelFirst = service.options.assumptions.firstMistake === 'model'
  if (isModelFirst && !service.models.has(modelId)) return unknownModel(service, modelId, 'unknownModelRun')
  const read = await readRunRequest(service, context.req.raw)
  if (read.response !== undefined) return { modelId, ...read }
  const { requestBody } = read
  return { modelId, requestBody, ...(await runModel(service, context, { modelId, body: read.body })) }
}

async function runModel(
  service: Service,
  context: KeyContext,
  { modelId, body }: { modelId: string; body: RunRequest },
): Promise<RouteResult> {
  const apiKey = findKey(context.req.raw, service.keys)
  if (typeof apiKey === 'string') return { response: errorResponses.unauthorized(apiKey) }
  const model = service.models.get(modelId)
  if (model === undefined) return unknownModel(service, modelId, 'unknownModelRun')
  const input = checkInput(service, model, body.input)
  if ('response' in input) return input
  const webhook = checkWebhook(service, context.env.apiKey, body.webhook_url)
  if ('response' in webhook) return webhook
  const { account } = apiKey
  const job = startRun(service, { ...body, ...input, account, model })
  if (job === undefined) {
    const { available } = account.credits
    const message = `A run of ${model.id} costs ${model.pricing.credits_per_run} credits; ${available} are left for new runs.`
    return reject(service, 'insufficientCredits', { ...webhook, message })
  }
  context.env.onJob?.(job)
  await deliverFirst(service, context, job)
  return { ...webhook, job, ...(await runResponse(service, context, { job, body })) }
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
function failedResponse(job: Job, { error }: JobEnd, assumptions: Assumptions): Reply {
  const { failedSyncRunStatus: status, failedSyncRunBody: body } = assumptions
  if (status === 202) return processingResponse(job, assumptions).response
  const isAlone = body === 'error' && status >= 400
  const code = status >= 400 ? error?.code : undefined
  return jsonReply(status, isAlone ? { error } : { ...identity(job, 'failed', assumptions), error }, { code })
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
function moreMembers(job: Job, status: string, { runFields }: Assumptions): object {
  const fields = runFields.filter((field) => field.startsWith(`${status}/`))
  const names = fields.map((field) => field.slice(status.length + 1))
  return Object.fromEntries(names.map((name) => [name, name === 'message' ? pollAdvice(job) : jobField(job, name)]))
}
