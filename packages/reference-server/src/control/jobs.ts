import { errorDetailSchema, outputSchema } from '@modelrun/contract'
import * as z from 'zod/mini'
import type { Job } from '../domain/job.ts'
import { type ScriptedWebhook, scriptedWebhookSchema } from '../domain/scripted-outcome.ts'
import { exchangesOf } from '../history/exchanges.ts'
import type { AppContext } from '../routes/app-env.ts'
import { controlJob, type JobControl } from '../service/job-control.ts'
import type { Service } from '../service/service.ts'
import { jobRow } from './job-row.ts'
import { conflict, get, notFound, post } from './route.ts'
import { toWire } from './wire-names.ts'

const completeSchema = z.strictObject({ output: z.optional(outputSchema) })
const failSchema = z.strictObject({
  code: z.optional(errorDetailSchema.shape.code),
  message: z.optional(errorDetailSchema.shape.message),
})

/** The routes that read and end jobs of any account. */
export const JOB_ROUTES = [
  get('listJobs', 'jobs', ({ jobs, clock }) => {
    const now = jobs.settle()
    const all = [...jobs.finished(), ...jobs.unfinished()].toSorted((one, other) => one.createdAt - other.createdAt)
    return { now_ms: clock.now(), jobs: all.map((job) => jobRow(job, now)) }
  }),
  get('readExchanges', 'jobs/{id}/exchanges', (service, context) => {
    const { observer, clock, deliveries } = service
    const job = requireJob(service, context)
    const now = clock.now()
    const records = observer.journal.records(job.account)
    const source = { jobId: job.id, records, job, deliveries: deliveries.of(job.account), now }
    const exchanges = exchangesOf(source)
    return { now_ms: now, job: jobRow(job, now), input: job.input, exchanges: exchanges.map(toWire) }
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
  throw notFound('This job does not exist. The response to a run has its job_id.')
}

function act(service: Service, context: AppContext, change: (job: JobControl) => void = () => {}) {
  const job = controlJob(service, requireJob(service, context).id)
  try {
    change(job)
  } catch (error) {
    throw conflict(error instanceof Error ? error.message : String(error))
  }
  const { id: job_id, requestId: request_id, modelId: model_id, input, status, output } = job
  return { job_id, request_id, model_id, input, status, output }
}

const emptySchema = z.strictObject({})

/** Actions on one job and its result. */
export const JOB_ACTION_ROUTES = [
  post('cancelJob', 'jobs/{id}/cancel').taking(emptySchema, onJob(cancel)),
  post('deliverAgain', 'jobs/{id}/deliver').taking(scriptedWebhookSchema, onJob(deliver)),
]

/** Changes a job, and shows it. */
function onJob<Body>(change: (service: Service, job: Job, body: Body) => void) {
  return (service: Service, body: Body, context: AppContext) => {
    const job = requireJob(service, context)
    change(service, job, body)
    return jobRow(job, service.clock.now())
  }
}

function cancel({ jobs }: Service, job: Job): void {
  if (jobs.end(job, { status: 'cancelled' })) return
  throw conflict(`The job ${job.id} has already ended: it is ${job.end?.status}.`)
}

function deliver(service: Service, job: Job, how: ScriptedWebhook): void {
  const url = job.webhook?.url
  if (url === undefined) throw conflict('The run of this job had no webhook_url, so its result goes nowhere.')
  if (job.end === undefined) throw conflict('The job has not ended, so there is no result to deliver yet.')
  service.dispatcher.dispatch(job, { ...how, url }, service.deliveryBody(job, job.end))
}
