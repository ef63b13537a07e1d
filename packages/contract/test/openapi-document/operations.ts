import { fixtures } from '../../src/fixtures.ts'
import { LIMITS } from '../../src/limits.ts'
import type { RouteName } from '../../src/routes.ts'
import { schemaReference } from './component-schemas.ts'
import type { ErrorName } from './error-responses.ts'
import { jsonContent } from './examples.ts'
import type { JsonObject } from './json-object.ts'
import { runCallbacks } from './run-callbacks.ts'

/** The description of an endpoint, besides its route. */
export interface OperationNotes {
  tag: 'Models' | 'Jobs'
  summary: string
  description: string
  /** The description of the path parameter, with an example. */
  pathParameter?: { description: string; example: string }
  requestBody?: JsonObject
  /** Successful responses, by status. */
  responses: JsonObject
  /** Errors besides those of every endpoint. */
  errors: readonly ErrorName[]
  /** Requests that the service makes on behalf of this one. */
  callbacks?: JsonObject
}

const { models, runs, jobs } = fixtures
const { textToImage, imageEditing, ...lists } = models
const { cancel, cancelEmpty, ...states } = jobs
const waitSeconds = LIMITS.syncWaitMs / 1000

const modelId = { description: 'Id of the model. It may contain `/`, which travels as `%2F`.', example: 'aurora-image' }
const jobId = { description: 'The `job_id` of the response to a run.', example: 'job_6512bd43' }

export const OPERATIONS: Readonly<Record<RouteName, OperationNotes>> = {
  listModels: {
    tag: 'Models',
    summary: 'List models',
    description: 'One page of the models that match. Specification: section 4.1.',
    responses: { 200: { description: 'A page of models.', content: jsonContent(schemaReference('ModelList'), lists) } },
    errors: ['invalidRequest'],
  },
  getModel: {
    tag: 'Models',
    summary: 'Read a model',
    description: 'One model with the description of its input. Specification: section 4.2.',
    pathParameter: modelId,
    responses: {
      200: { description: 'The model.', content: jsonContent(schemaReference('Model'), { textToImage, imageEditing }) },
    },
    errors: ['notFound'],
  },
  runModel: {
    tag: 'Models',
    summary: 'Run a model',
    description:
      'Creates a job. By default the response waits for the result; a client has to handle both 200 and 202. After a 202 ' +
      'poll the job, or wait for the webhook. A run that is sent again is charged again: there is no idempotency key. ' +
      'Specification: section 4.3.',
    pathParameter: modelId,
    requestBody: {
      required: true,
      content: jsonContent(schemaReference('RunRequest'), {
        request: runs.request,
        requestAsync: runs.requestAsync,
        requestWebhook: runs.requestWebhook,
      }),
    },
    responses: {
      200: {
        description: 'The run finished in time. With `sync: false`: the job was accepted (200 or 202, not stated).',
        content: jsonContent(anyOf('RunCompleted', 'RunQueued', 'RunNotSucceeded'), { completed: runs.completed }),
      },
      202: {
        description: `The model needs more than about ${waitSeconds} seconds, or a \`webhook_url\` was given, or \`sync\` is false.`,
        content: jsonContent(anyOf('RunProcessing', 'RunQueued'), {
          processingSlow: runs.processingSlow,
          processingWebhook: runs.processingWebhook,
          queued: runs.queued,
        }),
      },
    },
    errors: ['invalidRequest', 'insufficientCredits', 'notFound'],
    callbacks: runCallbacks(),
  },
  getJob: {
    tag: 'Jobs',
    summary: 'Read a job',
    description: 'Status of a job, and its result when it is finished. Specification: section 4.4.',
    pathParameter: jobId,
    responses: {
      200: { description: 'The job.', content: jsonContent(schemaReference('JobResponse'), states) },
      '2XX': {
        description: 'The job. The specification names no status code here.',
        content: jsonContent(schemaReference('JobResponse')),
      },
    },
    errors: ['notFound'],
  },
  cancelJob: {
    tag: 'Jobs',
    summary: 'Cancel a job',
    description:
      'For queued or processing jobs. A cancelled job is not charged. Body and status code of the response: not shown. ' +
      'Specification: section 4.5.',
    pathParameter: jobId,
    responses: {
      200: {
        description: 'The job is cancelled.',
        content: jsonContent(schemaReference('CancelResponse'), { cancel }),
      },
      204: { description: 'The job is cancelled; the response has no body.' },
      '2XX': { description: 'The job is cancelled. Body and status code: not shown.' },
    },
    errors: ['notFound', 'conflict'],
  },
}

// `anyOf`: the values of `status` distinguish them, and tools make the same union of `anyOf` as of `oneOf`.
function anyOf(...names: string[]): JsonObject {
  return { anyOf: names.map(schemaReference) }
}
