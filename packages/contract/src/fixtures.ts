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
import { fixture, response, withStatus } from './fixture.ts'
import type { JobResponse } from './job.ts'
import type { Model, ModelList } from './model.ts'
import type { RunCompleted, RunProcessing, RunQueued, RunRequest } from './run.ts'
import type { FailedDelivery, SucceededDelivery } from './webhook-event.ts'

export type { Fixture, ResponseFixture } from './fixture.ts'

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

const runs = {
  request: fixture<RunRequest>({ section: '4.3', body: runRequest }),
  requestAsync: fixture<RunRequest>({ section: '4.3', body: runRequestAsync }),
  requestWebhook: fixture<RunRequest>({ section: '4.3', body: runRequestWebhook }),
  completed: response<RunCompleted>({ section: '4.3', httpStatus: 200, body: withStatus('completed', runCompleted) }),
  /** The model works for longer than about 55 seconds. */
  processingSlow: response<RunProcessing>({
    section: '4.3',
    httpStatus: 202,
    body: withStatus('processing', runProcessingSlow),
  }),
  /** A `webhook_url` was given; `webhooks.succeeded` is the delivery that follows. */
  processingWebhook: response<RunProcessing>({
    section: '4.3',
    httpStatus: 202,
    body: withStatus('processing', runProcessingWebhook),
  }),
  queued: response<RunQueued>({
    section: '4.3',
    httpStatus: 202,
    assumption: 'The status code of an asynchronous run is 200 or 202: not stated.',
    body: withStatus('queued', runQueued),
  }),
}

const cancelNotShown = 'Body and status code of a cancel: not shown (section 4.5).'

const jobs = {
  queued: response<JobResponse>({ section: '4.4', httpStatus: 200, body: jobQueued }),
  processing: response<JobResponse>({ section: '4.4', httpStatus: 200, body: jobProcessing }),
  /** The job of `runs.processingWebhook`, as polling shows it. */
  succeeded: response<JobResponse>({ section: '4.4', httpStatus: 200, body: jobSucceeded }),
  failed: response<JobResponse>({ section: '4.4', httpStatus: 200, body: jobFailed }),
  cancelled: response<JobResponse>({ section: '4.4', httpStatus: 200, body: jobCancelled }),
  unknownFields: response<JobResponse>({
    section: '4.4',
    httpStatus: 200,
    assumption: 'The full field list of the job status: not shown (section 2.4).',
    body: jobUnknownFields,
  }),
  unknownStatus: response<JobResponse>({
    section: '4.4',
    httpStatus: 200,
    assumption: 'A status that the specification does not name (section 3).',
    body: jobUnknownStatus,
  }),
  cancel: response<JobResponse>({ section: '4.5', httpStatus: 200, assumption: cancelNotShown, body: jobCancel }),
  /** A response to a cancellation without a body. */
  cancelEmpty: response<undefined>({ section: '4.5', httpStatus: 204, assumption: cancelNotShown, body: undefined }),
}

const codeNotShown = 'Status and code: not shown (section 7).'

const errors = {
  unauthorized: response<ErrorBody>({ section: '7', httpStatus: 401, body: errorUnauthorized }),
  forbidden: response<ErrorBody>({ section: '7', httpStatus: 403, body: errorForbidden }),
  invalidRequest: response<ErrorBody>({
    section: '7',
    httpStatus: 400,
    assumption: codeNotShown,
    body: errorInvalidRequest,
  }),
  insufficientCredits: response<ErrorBody>({
    section: '7',
    httpStatus: 402,
    assumption: codeNotShown,
    body: errorInsufficientCredits,
  }),
  notFound: response<ErrorBody>({ section: '7', httpStatus: 404, assumption: codeNotShown, body: errorNotFound }),
  conflict: response<ErrorBody>({ section: '7', httpStatus: 409, assumption: codeNotShown, body: errorConflict }),
  rateLimited: response<ErrorBody>({ section: '7', httpStatus: 429, assumption: codeNotShown, body: errorRateLimited }),
  internal: response<ErrorBody>({ section: '7', httpStatus: 500, assumption: codeNotShown, body: errorInternal }),
}

const webhooks = {
  succeeded: fixture<SucceededDelivery>({ section: '6', body: withStatus('succeeded', webhookSucceeded) }),
  /** The same body once more: duplicate deliveries are possible (section 6, rule 3). */
  succeededAgain: fixture<SucceededDelivery>({ section: '6', body: withStatus('succeeded', webhookSucceeded) }),
  failed: fixture<FailedDelivery>({ section: '6', body: withStatus('failed', webhookFailed) }),
  unknownFields: fixture<SucceededDelivery>({
    section: '6',
    assumption: 'The service may add fields.',
    body: withStatus('succeeded', webhookUnknownFields),
  }),
  unknownOutputType: fixture<SucceededDelivery>({
    section: '6',
    assumption: 'Other output types than image: not shown (section 2.5).',
    body: withStatus('succeeded', webhookUnknownOutputType),
  }),
  unknownStatus: fixture<Record<string, unknown>>({
    section: '6',
    assumption: 'A status that the specification does not name (section 3).',
    body: webhookUnknownStatus,
  }),
  cancelled: fixture<Record<string, unknown>>({
    section: '6',
    assumption: 'Any delivery for a cancelled job: not shown (section 6, rule 7).',
    body: webhookCancelled,
  }),
}

/** Every fixture by group. */
export const fixtures = { models, runs, jobs, errors, webhooks }
