/**
 * Example bodies of every request, response and webhook delivery that the specification shows or implies.
 *
 * @module
 */
import errorConflict from '../fixtures/error-conflict.json' with { type: 'json' }
import errorForbidden from '../fixtures/error-forbidden.json' with { type: 'json' }
import errorInsufficientCredits from '../fixtures/error-insufficient-credits.json' with { type: 'json' }
import errorInternal from '../fixtures/error-internal.json' with { type: 'json' }
import errorInvalidRequest from '../fixtures/error-invalid-request.json' with { type: 'json' }
import errorNotFound from '../fixtures/error-not-found.json' with { type: 'json' }
import errorRateLimited from '../fixtures/error-rate-limited.json' with { type: 'json' }
import errorUnauthorized from '../fixtures/error-unauthorized.json' with { type: 'json' }
import jobCancel from '../fixtures/job-cancel.json' with { type: 'json' }
import jobCancelled from '../fixtures/job-cancelled.json' with { type: 'json' }
import jobFailed from '../fixtures/job-failed.json' with { type: 'json' }
import jobProcessing from '../fixtures/job-processing.json' with { type: 'json' }
import jobQueued from '../fixtures/job-queued.json' with { type: 'json' }
import jobSucceeded from '../fixtures/job-succeeded.json' with { type: 'json' }
import jobUnknownFields from '../fixtures/job-unknown-fields.json' with { type: 'json' }
import jobUnknownStatus from '../fixtures/job-unknown-status.json' with { type: 'json' }
import modelImageEditing from '../fixtures/model-image-editing.json' with { type: 'json' }
import modelListEmpty from '../fixtures/model-list-empty.json' with { type: 'json' }
import modelListFirstPage from '../fixtures/model-list-first-page.json' with { type: 'json' }
import modelListLastPage from '../fixtures/model-list-last-page.json' with { type: 'json' }
import modelTextToImage from '../fixtures/model-text-to-image.json' with { type: 'json' }
import runCompleted from '../fixtures/run-completed.json' with { type: 'json' }
import runProcessingSlow from '../fixtures/run-processing-slow.json' with { type: 'json' }
import runProcessingWebhook from '../fixtures/run-processing-webhook.json' with { type: 'json' }
import runQueued from '../fixtures/run-queued.json' with { type: 'json' }
import runRequest from '../fixtures/run-request.json' with { type: 'json' }
import runRequestAsync from '../fixtures/run-request-async.json' with { type: 'json' }
import runRequestWebhook from '../fixtures/run-request-webhook.json' with { type: 'json' }
import webhookCancelled from '../fixtures/webhook-cancelled.json' with { type: 'json' }
import webhookFailed from '../fixtures/webhook-failed.json' with { type: 'json' }
import webhookSucceeded from '../fixtures/webhook-succeeded.json' with { type: 'json' }
import webhookUnknownFields from '../fixtures/webhook-unknown-fields.json' with { type: 'json' }
import webhookUnknownOutputType from '../fixtures/webhook-unknown-output-type.json' with { type: 'json' }
import webhookUnknownStatus from '../fixtures/webhook-unknown-status.json' with { type: 'json' }
import type { ErrorBody } from './error-body.ts'
import type { JobResponse } from './job.ts'
import type { Model, ModelList } from './model.ts'
import type { RunCompleted, RunProcessing, RunQueued, RunRequest } from './run.ts'
import type { FailedDelivery, SucceededDelivery } from './webhook-event.ts'

/** An example body with the place in the specification that it belongs to. */
export interface Fixture<Body> {
  /** Section of the specification, such as `4.3`. */
  readonly section: string
  /** Set where the specification is silent: the assumption that the fixture makes. The real service may respond differently. */
  readonly assumption?: string | undefined
  /** The JSON body. Shared by all importers: take a `structuredClone` before changing it. */
  readonly body: Body
}

/** An example response of the service, with its HTTP status. */
type ResponseFixture<Body> = Fixture<Body> & { readonly httpStatus: number }

// By the interface of the body, so that a new example value does not change the type.
const fixture = <Body>(entry: Fixture<Body>) => entry
const response = <Body>(entry: ResponseFixture<Body>) => entry

const models = {
  /** Three of five models; the two pages together show every category of section 2.2. */
  listFirstPage: response<ModelList>({ section: '4.1', httpStatus: 200, body: modelListFirstPage }),
  listLastPage: response<ModelList>({ section: '4.1', httpStatus: 200, body: modelListLastPage }),
  /** Nothing matches the filter. */
  listEmpty: response<ModelList>({ section: '4.1', httpStatus: 200, body: modelListEmpty }),
  /** The model whose input section 2.3 illustrates. */
  textToImage: response<Model>({ section: '4.2', httpStatus: 200, body: modelTextToImage }),
  /** Takes an `image_url` (section 2.3); its id holds a `/`. */
  imageEditing: response<Model>({ section: '4.2', httpStatus: 200, body: modelImageEditing }),
}

const run = <Body>(httpStatus: number, body: Body) => response<Body>({ section: '4.3', httpStatus, body })

const runs = {
  request: fixture<RunRequest>({ section: '4.3', body: runRequest }),
  requestAsync: fixture<RunRequest>({ section: '4.3', body: runRequestAsync }),
  requestWebhook: fixture<RunRequest>({ section: '4.3', body: runRequestWebhook }),
  completed: run<RunCompleted>(200, { ...runCompleted, status: 'completed' }),
  /** The model works for longer than about 55 seconds. */
  processingSlow: run<RunProcessing>(202, { ...runProcessingSlow, status: 'processing' }),
  /** A `webhook_url` was given; `webhooks.succeeded` is the delivery that follows. */
  processingWebhook: run<RunProcessing>(202, { ...runProcessingWebhook, status: 'processing' }),
  queued: response<RunQueued>({
    section: '4.3',
    httpStatus: 202,
    assumption: 'The status code of an asynchronous run is 200 or 202: not stated.',
    body: { ...runQueued, status: 'queued' },
  }),
}

const cancelNotShown = 'Body and status code of a cancel: not shown (section 4.5).'
const job = (body: JobResponse, assumption?: string) =>
  response<JobResponse>({ section: '4.4', httpStatus: 200, assumption, body })

const jobs = {
  queued: job(jobQueued),
  processing: job(jobProcessing),
  /** The job of `runs.processingWebhook`, as polling shows it. */
  succeeded: job(jobSucceeded),
  failed: job(jobFailed),
  cancelled: job(jobCancelled),
  unknownFields: job(jobUnknownFields, 'The full field list of the job status: not shown (section 2.4).'),
  unknownStatus: job(jobUnknownStatus, 'A status that the specification does not name (section 3).'),
  cancel: response<JobResponse>({ section: '4.5', httpStatus: 200, assumption: cancelNotShown, body: jobCancel }),
  /** A response to a cancellation without a body. */
  cancelEmpty: response<undefined>({ section: '4.5', httpStatus: 204, assumption: cancelNotShown, body: undefined }),
}

const error = (httpStatus: number, body: ErrorBody, assumption?: string) =>
  response<ErrorBody>({ section: '7', httpStatus, assumption, body })
const codeNotShown = 'Status and code: not shown (section 7).'

const errors = {
  unauthorized: error(401, errorUnauthorized),
  forbidden: error(403, errorForbidden),
  invalidRequest: error(400, errorInvalidRequest, codeNotShown),
  insufficientCredits: error(402, errorInsufficientCredits, codeNotShown),
  notFound: error(404, errorNotFound, codeNotShown),
  conflict: error(409, errorConflict, codeNotShown),
  rateLimited: error(429, errorRateLimited, codeNotShown),
  internal: error(500, errorInternal, codeNotShown),
}

const delivery = <Body>(body: Body, assumption?: string) => fixture<Body>({ section: '6', assumption, body })

const succeeded = delivery<SucceededDelivery>({ ...webhookSucceeded, status: 'succeeded' })

const webhooks = {
  succeeded,
  /** The same body once more: duplicate deliveries are possible (section 6, rule 3). */
  succeededAgain: succeeded,
  failed: delivery<FailedDelivery>({ ...webhookFailed, status: 'failed' }),
  unknownFields: delivery<SucceededDelivery>(
    { ...webhookUnknownFields, status: 'succeeded' },
    'The service may add fields.',
  ),
  unknownOutputType: delivery<SucceededDelivery>(
    { ...webhookUnknownOutputType, status: 'succeeded' },
    'Other output types than image: not shown (section 2.5).',
  ),
  unknownStatus: delivery<Record<string, unknown>>(
    webhookUnknownStatus,
    'A status that the specification does not name (section 3).',
  ),
  cancelled: delivery<Record<string, unknown>>(
    webhookCancelled,
    'Any delivery for a cancelled job: not shown (section 6, rule 7).',
  ),
}

/** Every fixture by group. */
export const fixtures = { models, runs, jobs, errors, webhooks }
