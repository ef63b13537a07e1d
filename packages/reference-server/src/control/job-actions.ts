import * as z from 'zod/mini'
import type { Job } from '../domain/job.ts'
import { scriptedWebhookSchema } from '../domain/scripted-webhook.ts'
import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import { readControlBody } from '../http/read-json-body.ts'
import type { Service } from '../service/service.ts'
import { deliveryBody } from '../webhooks/delivery-body.ts'
import { jobRow } from './job-row.ts'
import type { ControlRoute } from './route.ts'

/** What may become of one job and its result, by hand. */
export const JOB_ACTION_ROUTES = [
  { operationId: 'cancelJob', method: 'POST', name: 'jobs/{id}/cancel', handler: respondToCancel },
  { operationId: 'hangJob', method: 'POST', name: 'jobs/{id}/hang', handler: respondToHang },
  { operationId: 'setJobWebhook', method: 'POST', name: 'jobs/{id}/webhook', handler: respondToWebhook },
  { operationId: 'deliverAgain', method: 'POST', name: 'jobs/{id}/deliver', handler: respondToDeliver },
  { operationId: 'dropDeliveries', method: 'POST', name: 'jobs/{id}/drop', handler: respondToDrop },
] as const satisfies readonly ControlRoute[]

export const emptySchema = z.strictObject({})

const NO_WEBHOOK = 'The run of this job had no webhook_url, so its result goes nowhere.'

function respondToCancel(service: Service, context: AppContext): Promise<Response> {
  return act(service, context, (job) => (service.jobs.end(job, { status: 'cancelled' }) ? undefined : ended(job)))
}

function respondToHang(service: Service, context: AppContext): Promise<Response> {
  return act(service, context, (job) => {
    if (job.end !== undefined) return ended(job)
    service.jobTimers.forget(job)
    service.jobs.hang(job)
    return undefined
  })
}

async function respondToWebhook(service: Service, context: AppContext): Promise<Response> {
  const body = await readControlBody(context, scriptedWebhookSchema)
  if (!body.ok) return body.errorResponse
  return respond(service, context, (job) => {
    if (job.webhook === undefined) return NO_WEBHOOK
    if (job.end !== undefined) return ended(job)
    job.webhook = { ...body.value, url: job.webhook.url }
    return undefined
  })
}

async function respondToDeliver(service: Service, context: AppContext): Promise<Response> {
  const body = await readControlBody(context, scriptedWebhookSchema)
  if (!body.ok) return body.errorResponse
  return respond(service, context, (job) => {
    if (job.webhook === undefined) return NO_WEBHOOK
    if (job.end === undefined) return 'The job has not ended, so there is no result to deliver yet.'
    const webhook = { ...body.value, url: job.webhook.url }
    service.dispatcher.dispatch(job, webhook, deliveryBody(job, job.end, service.baseUrl))
    return undefined
  })
}

function respondToDrop(service: Service, context: AppContext): Promise<Response> {
  return act(service, context, (job) => {
    service.dispatcher.drop(job)
    return undefined
  })
}

/** @param change returns why it is not possible */
async function act(service: Service, context: AppContext, change: (job: Job) => string | undefined): Promise<Response> {
  const body = await readControlBody(context, emptySchema)
  return body.ok ? respond(service, context, change) : body.errorResponse
}

function respond(service: Service, { req }: AppContext, change: (job: Job) => string | undefined): Response {
  const job = service.jobs.find(req.param('id') ?? '')
  if (job === undefined)
    return errorResponses.notFound('This job does not exist. The response to a run has its job_id.')
  const problem = change(job)
  return problem === undefined ? jsonResponse(200, jobRow(job, service.clock.now())) : errorResponses.conflict(problem)
}

function ended({ id, end }: Job): string {
  return `The job ${id} has already ended: it is ${end?.status}.`
}
