import { exchangesOf } from '../history/exchanges.ts'
import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import type { Service } from '../service/service.ts'
import { jobRow } from './job-row.ts'
import { entryJson } from './json.ts'
import type { ControlRoute } from './route.ts'

/** The jobs, and what happened to one of them as data. */
export const EXCHANGE_ROUTES = [
  { operationId: 'listJobs', method: 'GET', name: 'jobs', handler: respondWithJobs },
  { operationId: 'readExchanges', method: 'GET', name: 'jobs/{id}/exchanges', handler: respondWithExchanges },
] as const satisfies readonly ControlRoute[]

function respondWithJobs({ jobs, clock }: Service): Response {
  jobs.settle()
  const now = clock.now()
  const all = [...jobs.finished(), ...jobs.unfinished()].toSorted((one, other) => one.createdAt - other.createdAt)
  return jsonResponse(200, { now_ms: now, jobs: all.map((job) => jobRow(job, now)) })
}

function respondWithExchanges(service: Service, { req }: AppContext): Response {
  const jobId = req.param('id') ?? ''
  const { observer, jobs, clock, deliveries } = service
  const job = jobs.find(jobId)
  if (job === undefined)
    return errorResponses.notFound('This job does not exist. The response to a run has its job_id.')
  const exchanges = exchangesOf({
    jobId,
    records: observer.journal.records(job.account),
    job,
    deliveries: deliveries.of(job.account),
    now: clock.now(),
    controls: req.query('control') === 'true' ? observer.journal.records(null) : undefined,
  })
  return jsonResponse(200, {
    now_ms: clock.now(),
    job: jobRow(job, clock.now()),
    input: job.input,
    exchanges: exchanges.map(entryJson),
  })
}
