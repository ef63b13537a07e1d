import { errorDetailSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { Job } from '../domain/job.ts'
import { outputOf } from '../domain/produce-output.ts'
import { scriptedOutputSchema } from '../domain/scripted-outcome.ts'
import { exchangesOf } from '../history/exchanges.ts'
import type { AppContext } from '../routes/app-env.ts'
import { controlJob, type JobControl } from '../service/job-control.ts'
import type { Service } from '../service/service.ts'
import { jobRow } from './job-row.ts'
import type { ControlResponses } from './responses.ts'
import { get, post, rejected, rejectedBy } from './route.ts'
import { toWire } from './wire-names.ts'

const completeSchema = z.strictObject({ output: z.optional(scriptedOutputSchema) })
const failSchema = z.strictObject({
  code: z.optional(errorDetailSchema.shape.code),
  message: z.optional(errorDetailSchema.shape.message),
})

/** The routes that read and end jobs of any account. */
export const JOB_ROUTES = [
  get('readExchanges', 'jobs/{id}/exchanges', (service, context): ControlResponses['Exchanges'] => {
    const { observer, clock } = service
    const job = requireJob(service, context)
    const now = clock.now()
    const history = { jobId: job.id, records: observer.journal.records(job.account), job, now }
    const output = job.end?.status === 'succeeded' ? outputOf(job, service.baseUrl) : undefined
    const { input } = job
    return { now_ms: now, job: jobRow(job, now), input, output, exchanges: exchangesOf(history).map(toWire) }
  }),
  get('readJob', 'jobs/{id}', (service, context) => act(service, context)),
  post('completeJob', 'jobs/{id}/complete').taking(completeSchema, (service, { output }, context) =>
    act(service, context, (job) => job.complete(output)),
  ),
  post('failJob', 'jobs/{id}/fail').taking(failSchema, (service, { code, message }, context) =>
    act(service, context, (job) => job.fail(code, message)),
  ),
]

/** @throws RejectedCall for a job that does not exist */
function requireJob(service: Service, { req }: AppContext): Job {
  const job = service.jobs.find(req.param('id'))
  if (job !== undefined) return job
  throw rejected('NOT_FOUND', 'This job does not exist. The response to a run has its job_id.')
}

function act(
  service: Service,
  context: AppContext,
  change: (job: JobControl) => void = () => {},
): ControlResponses['Job'] {
  const job = controlJob(service, requireJob(service, context).id)
  try {
    change(job)
  } catch (error) {
    throw rejectedBy(error, 'CONFLICT')
  }
  const { id: job_id, requestId: request_id, modelId: model_id, input, status, output } = job
  return { job_id, request_id, model_id, input, status, output }
}
