import type { ErrorDetail, RunCompleted, RunIdentity, RunProcessing, RunQueued } from '@modelrun/contract'
import { LIMITS, ROUTES, routePath } from '@modelrun/contract'
import { durationMs, type Job, type JobEnd } from '../domain/job.ts'
import { outputOf } from '../domain/produce-output.ts'
import { type RunOrder, startRun } from '../service/runs.ts'
import type { Service } from '../service/service.ts'
import { rejectionResponse } from '../wire/error-responses.ts'
import { jsonReply, type Reply } from '../wire/messages.ts'
import type { KeyContext, RouteHandler, RouteResult } from './app-env.ts'
import { checkRun } from './checks.ts'

/** `POST /v1/models/{model}/run` (section 4.3). */
export const runModelRoute: RouteHandler = async (service, context) => {
  const { requestBody, ...checked } = await checkRun(service, context)
  if (checked.order === undefined) return { requestBody, response: checked.response }
  const job = startRun(service, checked.order)
  if (job === undefined) return { requestBody, response: noCredits(service, checked.order) }
  context.env.onJob?.(job)
  await deliverFirst(service, context, job)
  return { requestBody, job, ...(await runResponse(service, context, { job, sync: checked.order.sync })) }
}

function noCredits({ options }: Service, { account, model }: RunOrder): Reply {
  const message = `A run of ${model.id} costs ${model.pricing.credits_per_run} credits; ${account.credits.available} are left for new runs.`
  return rejectionResponse(options.assumptions.insufficientCredits, message)
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
  { job, sync }: { job: Job; sync: boolean | undefined },
): Promise<RouteResult> {
  if (sync === false) return queuedResponse(service, job)
  if (job.webhook !== undefined) return processingResponse(job)
  await holdRun(service, context, job)
  return job.end === undefined ? processingResponse(job) : endedResponse(service, job, job.end)
}

/** Holds the response until the job ends, about 55 s at most (section 8). */
async function holdRun(service: Service, { env: { work }, req }: KeyContext, job: Job): Promise<void> {
  service.jobs.settle() // A job may take no time at all.
  if (job.end !== undefined) return
  work.park()
  const untilEndMs = (job.endsAt ?? Number.POSITIVE_INFINITY) - service.clock.now()
  await service.pauses.pause(Math.min(LIMITS.syncWaitMs, untilEndMs), req.raw.signal, job)
  work.resume()
  service.jobs.settle()
}

/** The response to a run with `sync: false` (section 4.3). */
function queuedResponse({ options }: Service, job: Job): RouteResult {
  const body: RunQueued = identityOf(job, 'queued')
  return { response: jsonReply(options.assumptions.asyncRunStatus, body), jobStatus: 'queued' }
}

/** The 202 of a run that continues (section 4.3). */
function processingResponse(job: Job): RouteResult {
  const poll = `Poll GET ${routePath(ROUTES.getJob, { id: job.id })}`
  const message =
    job.webhook === undefined
      ? `The model is still working. ${poll} for the result.`
      : `The job was accepted. ${poll}, or wait for the webhook.`
  const body: RunProcessing = { ...identityOf(job, 'processing'), message }
  return { response: jsonReply(202, body), jobStatus: 'processing' }
}

/** The response to a run whose job ended while the run was held (section 4.3). */
function endedResponse(service: Service, job: Job, end: JobEnd): RouteResult {
  switch (end.status) {
    case 'succeeded':
      return { response: jsonReply(200, completedBody(service, job, end)), jobStatus: 'completed' }
    case 'failed':
      return failedResponse(service, job, end.error)
    case 'cancelled':
      return { response: jsonReply(200, identityOf(job, 'cancelled')), jobStatus: 'cancelled' }
  }
}

function completedBody({ baseUrl }: Service, job: Job, end: JobEnd): RunCompleted {
  return {
    ...identityOf(job, 'completed'),
    output: outputOf(job, baseUrl),
    duration_ms: durationMs(job, end),
    credits_used: job.model.pricing.credits_per_run,
  }
}

/** The specification does not show the response to a synchronous run that fails. */
function failedResponse({ options }: Service, job: Job, error: ErrorDetail | undefined): RouteResult {
  const { failedSyncRunStatus: status } = options.assumptions
  if (status === 202) return processingResponse(job)
  const code = status >= 400 ? error?.code : undefined
  return { response: jsonReply(status, { ...identityOf(job, 'failed'), error }, { code }), jobStatus: 'failed' }
}

function identityOf<Status extends string>(job: Job, status: Status): RunIdentity & { status: Status } {
  return { job_id: job.id, request_id: job.requestId, status, model_id: job.model.id }
}
