import { LIMITS, type RunRequest } from '@modelrun/contract'
import type { CatalogModel } from '../domain/catalog.ts'
import type { Job } from '../domain/job.ts'
import { validateInput } from '../domain/validate-input.ts'
import type { Service } from '../service/service.ts'
import { isQueuedFirst, startRun } from '../service/start-run.ts'
import type { AppContext } from './app-env.ts'
import { keyOf } from './authenticate.ts'
import { checkWebhookTarget } from './check-webhook-target.ts'
import { errorResponses } from './error-responses.ts'
import { unknownModel } from './model-routes.ts'
import { readRunBody } from './read-run-body.ts'
import { isAccepted, reject } from './reject.ts'
import type { RequestTrace } from './request-trace.ts'
import { endedAnswer, processingAnswer, queuedAnswer } from './run-answers.ts'

/** `POST /v1/models/{model}/run` (section 4.3). */
export async function answerRun(service: Service, context: AppContext): Promise<Response> {
  context.env.trace.modelId = context.req.param('model')
  const body = await readRunBody(service, context)
  if (body instanceof Response) return body
  const { trace } = context.env
  const apiKey = keyOf(context, service.keys)
  if (typeof apiKey === 'string') return errorResponses.unauthorized(apiKey)
  const model = service.models.get(trace.modelId ?? '')
  if (model === undefined) return unknownModel(service, context, 'unknownModelRun')
  const input = checkInput(service, model, { input: body.input, trace })
  if (input instanceof Response) return input
  const refusal = webhookRefusal(service, context, body.webhook_url)
  if (refusal !== undefined) return refusal
  const { account } = apiKey
  const job = startRun(service, { ...body, ...input, account, model })
  if (job === undefined) {
    const { available } = account.credits
    const message = `A run of ${model.id} costs ${model.pricing.credits_per_run} credits; ${available} are left for new runs.`
    return reject({ service, trace }, 'insufficientCredits', message)
  }
  const isQueued = isQueuedFirst(body, service.options.assumptions)
  trace.job = job
  trace.jobStatus = isQueued ? 'queued' : 'processing'
  await webhookFirst(service, context, job)
  if (isQueued) return queuedAnswer(job, service.options.assumptions)
  return job.webhook === undefined ? answerWhenEnded(service, context, job) : processingAnswer(job)
}

/** Why a run with this webhook is rejected. */
function webhookRefusal(service: Service, context: AppContext, url: string | undefined): Response | undefined {
  const { permissions } = context.get('apiKey')
  const isMissing = service.options.assumptions.webhookNeedsManage && !permissions.includes('webhooks:manage')
  if (url === undefined || !isMissing) return checkWebhookTarget(service, context.env.trace, url)
  context.env.trace.assumptions = ['webhookNeedsManage']
  return errorResponses.forbidden(
    'The API key lacks the permission webhooks:manage that a run with webhook_url needs. Use a key that has it.',
  )
}

/** A script may want the webhook called before the run is answered. A job that time does not end is not waited for. */
async function webhookFirst(service: Service, { env: { work } }: AppContext, job: Job): Promise<void> {
  if (job.webhook?.when !== 'before-answer' || job.endsAt === undefined) return
  service.jobs.settle()
  work.park()
  await service.dispatcher.settled(job)
  work.resume()
}

function checkInput(
  service: Service,
  model: CatalogModel,
  { input, trace }: Pick<RunRequest, 'input'> & { trace: RequestTrace },
): { input: Record<string, unknown>; isRight: boolean } | Response {
  const checked = validateInput(model.input_schema, input)
  if (checked.ok) return { input: checked.input, isRight: true }
  const rejected = checked.problems.filter(({ kind }) => !isAccepted(service, kind))
  const [first] = rejected
  if (first === undefined) {
    return { input, isRight: checked.problems.every(({ kind }) => kind === 'unknownParameter') }
  }
  trace.refusedFor = 'input'
  trace.assumptions = [...new Set(checked.problems.flatMap(({ assumption }) => assumption ?? []))]
  const problems = rejected.slice(0, 5).map(({ pointer, message }) => `/input${pointer}: ${message}`)
  const advice = `GET /v1/models/${encodeURIComponent(model.id)} shows what the model takes.`
  const message = `The input is not right. ${problems.join(' ')} ${advice}`
  return reject({ service, trace }, first.kind, message)
}

/** Holds the answer until the job ends, about 55 s at most (section 8). */
async function answerWhenEnded(service: Service, context: AppContext, job: Job): Promise<Response> {
  const { work } = context.env
  service.jobs.settle() // it may take no time at all
  if (job.end === undefined) {
    work.park()
    await service.heldRuns.hold(job, { forMs: LIMITS.syncWaitMs, signal: context.req.raw.signal })
    work.resume()
    service.jobs.settle()
  }
  if (job.end === undefined) return processingAnswer(job)
  context.env.trace.jobStatus = job.end.status === 'succeeded' ? 'completed' : job.end.status
  return endedAnswer(job, job.end, { baseUrl: service.baseUrl, assumptions: service.options.assumptions })
}
