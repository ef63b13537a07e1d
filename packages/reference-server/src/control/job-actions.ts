import * as z from 'zod/mini'
import type { Job } from '../domain/job.ts'
import { type ScriptedWebhook, scriptedWebhookSchema } from '../domain/scripted-outcome.ts'
import type { AppContext } from '../http/app-env.ts'
import type { Service } from '../service/service.ts'
import { deliveryBody } from '../webhooks/delivery-record.ts'
import { jobRow } from './job-row.ts'
import { requireJob } from './jobs.ts'
import { conflict, post } from './route.ts'

const emptySchema = z.strictObject({})

/** Actions on one job and its result: end, hold, deliver. */
export const JOB_ACTION_ROUTES = [
  post('cancelJob', 'jobs/{id}/cancel').taking(emptySchema, onJob(cancel)),
  post('hangJob', 'jobs/{id}/hang').taking(emptySchema, onJob(hang)),
  post('setJobWebhook', 'jobs/{id}/webhook').taking(scriptedWebhookSchema, onJob(setWebhook)),
  post('deliverAgain', 'jobs/{id}/deliver').taking(scriptedWebhookSchema, onJob(deliver)),
  post('dropDeliveries', 'jobs/{id}/drop').taking(
    emptySchema,
    onJob((service, job) => service.dispatcher.drop(job)),
  ),
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
  if (!jobs.end(job, { status: 'cancelled' })) throw ended(job)
}

function hang({ jobs, jobTimers }: Service, job: Job): void {
  if (job.end !== undefined) throw ended(job)
  jobTimers.forget(job)
  jobs.hang(job)
}

function setWebhook(_: Service, job: Job, how: ScriptedWebhook): void {
  const url = webhookUrl(job)
  if (job.end !== undefined) throw ended(job)
  job.webhook = { ...how, url }
}

function deliver({ dispatcher, baseUrl }: Service, job: Job, how: ScriptedWebhook): void {
  const url = webhookUrl(job)
  if (job.end === undefined) throw conflict('The job has not ended, so there is no result to deliver yet.')
  dispatcher.dispatch(job, { ...how, url }, deliveryBody(job, job.end, baseUrl))
}

function webhookUrl({ webhook }: Job): string {
  if (webhook !== undefined) return webhook.url
  throw conflict('The run of this job had no webhook_url, so its result goes nowhere.')
}

function ended({ id, end }: Job): Error {
  return conflict(`The job ${id} has already ended: it is ${end?.status}.`)
}
