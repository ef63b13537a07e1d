import { errorDetailSchema, outputSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import { readControlBody } from '../http/read-json-body.ts'
import { controlJob, type JobControl } from '../service/job-control.ts'
import type { Service } from '../service/service.ts'
import type { ControlRoute } from './route.ts'

/** The routes that read and end jobs of any account. */
export const JOB_ROUTES = [
  {
    operationId: 'readJob',
    method: 'GET',
    name: 'jobs/{id}',
    handler: (service, context) => withJob(service, context, () => {}),
  },
  { operationId: 'completeJob', method: 'POST', name: 'jobs/{id}/complete', handler: completeJobRoute },
  { operationId: 'failJob', method: 'POST', name: 'jobs/{id}/fail', handler: failJobRoute },
] as const satisfies readonly ControlRoute[]

export const completeSchema = z.strictObject({ output: z.optional(outputSchema) })
export const failSchema = z.strictObject({
  code: z.optional(errorDetailSchema.shape.code),
  message: z.optional(errorDetailSchema.shape.message),
})

async function completeJobRoute(service: Service, context: AppContext): Promise<Response> {
  const body = await readControlBody(context, completeSchema)
  return body.ok ? withJob(service, context, (job) => job.complete(body.value.output)) : body.errorResponse
}

async function failJobRoute(service: Service, context: AppContext): Promise<Response> {
  const body = await readControlBody(context, failSchema)
  return body.ok
    ? withJob(service, context, (job) => job.fail(body.value.code, body.value.message))
    : body.errorResponse
}

function withJob(service: Service, { req }: AppContext, act: (job: JobControl) => void): Response {
  const id = req.param('id') ?? ''
  if (service.jobs.find(id) === undefined)
    return errorResponses.notFound('This job does not exist. The response to a run has its job_id.')
  const job = controlJob(service, id)
  try {
    act(job)
  } catch (error) {
    return errorResponses.conflict(error instanceof Error ? error.message : String(error))
  }
  const { requestId: request_id, modelId: model_id, input, status, output } = job
  return jsonResponse(200, { job_id: id, request_id, model_id, input, status, output })
}
