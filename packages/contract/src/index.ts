/**
 * The wire format of the model inference service as data.
 *
 * @module
 */
export { KEY_PREFIXES, PERMISSIONS, type Permission } from './auth.ts'
export {
  type ErrorBody,
  type ErrorDetail,
  errorBodySchema,
  errorDetailSchema,
  type ServiceErrorCode,
} from './error-body.ts'
export {
  JOB_STATUSES,
  type Job,
  type JobResponse,
  type JobStatus,
  jobResponseSchema,
  jobSchema,
  type KnownJobStatus,
  type Output,
  type OutputItem,
  outputSchema,
  TERMINAL_JOB_STATUSES,
  type TerminalJobStatus,
} from './job.ts'
export { LIMITS } from './limits.ts'
export {
  type InputProperty,
  type InputSchema,
  type ListModelsQuery,
  listModelsQuerySchema,
  MODEL_CATEGORIES,
  type Model,
  type ModelList,
  type ModelSummary,
  modelListSchema,
  modelSchema,
  modelSummarySchema,
} from './model.ts'
export type { OpenEnum } from './open-enum.ts'
export { ROUTES, type Route, type RouteName, routePath } from './routes.ts'
export {
  type RunCompleted,
  type RunIdentity,
  type RunProcessing,
  type RunQueued,
  type RunRequest,
  type RunResponse,
  runCompletedSchema,
  runProcessingSchema,
  runQueuedSchema,
  runRequestSchema,
  runResponseSchema,
} from './run.ts'
export {
  type FailedDelivery,
  failedDeliverySchema,
  type SucceededDelivery,
  succeededDeliverySchema,
  type WebhookDelivery,
  webhookDeliverySchema,
} from './webhook-event.ts'
