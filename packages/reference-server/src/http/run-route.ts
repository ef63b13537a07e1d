import { LIMITS, type RunRequest, runRequestSchema } from '@modelrun/contract'
import type { CatalogModel } from '../domain/catalog.ts'
import type { Job } from '../domain/job.ts'
import { validateInput } from '../domain/validate-input.ts'
import type { Service } from '../service/service.ts'
import { startRun } from '../service/start-run.ts'
import type { AppContext } from './app-env.ts'
import { keyOf } from './authenticate.ts'
import { checkWebhookTarget } from './check-webhook-target.ts'
import { unknownModel } from './model-routes.ts'
import { type BodyCheck, readJsonBody } from './read-json-body.ts'
import { refusals } from './refusals.ts'
import type { RequestTrace } from './request-trace.ts'
import { endedAnswer, processingAnswer, queuedAnswer } from './run-answers.ts'

/** `POST /v1/models/{model}/run` (section 4.3). */
export async function answerRun(service: Service, context: AppContext): Promise<Response> {
  context.env.trace.modelId = context.req.param('model')
  const body = await readJsonBody(context.req.raw, runRequestSchema, context.env.trace)
  if (!body.ok) return body.refusal
  const apiKey = keyOf(context, service.keys)
  if (typeof apiKey === 'string') return refusals.unauthorized(apiKey)
  const id = context.req.param('model') ?? ''
  const model = service.models.get(id)
  if (model === undefined) return unknownModel(service, id, context.env.trace)
  const input = checkInput(service, model, { input: body.value.input, trace: context.env.trace })
  if (!input.ok) return input.refusal
  const refusal = checkWebhookTarget(service, context.env.trace, body.value.webhook_url)
  if (refusal !== undefined) return refusal
  const { account } = apiKey
  const job = startRun(service, { ...body.value, input: input.value, account, model })
  if (job === undefined) {
    const { available } = account.credits
    return refusals.insufficientCredits(
      `A run of ${model.id} costs ${model.pricing.credits_per_run} credits; ${available} are left for new runs.`,
    )
  }
  const { trace } = context.env
  trace.job = job
  trace.jobStatus = body.value.sync === false ? 'queued' : 'processing'
  await webhookFirst(service, context, job)
  if (body.value.sync === false) return queuedAnswer(job, service.options.assumptions)
  return job.webhook === undefined ? answerWhenEnded(service, context, job) : processingAnswer(job)
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
): BodyCheck<Record<string, unknown>> {
  const checked = validateInput(model.input_schema, input)
  if (checked.ok) return { ok: true, value: checked.input }
  trace.refusedFor = 'input'
  trace.assumptions = [...new Set(checked.problems.flatMap(({ assumption }) => assumption ?? []))]
  const problems = checked.problems.slice(0, 5).map(({ pointer, message }) => `/input${pointer}: ${message}`)
  const advice = `GET /v1/models/${encodeURIComponent(model.id)} shows what the model takes.`
  const message = `The input is not right. ${problems.join(' ')} ${advice}`
  return { ok: false, refusal: refusals.invalid(message, service.options.assumptions.invalidInputStatus) }
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
