/**
 * Typed client for the model inference service.
 *
 * @module
 */
export type {
  ErrorCode,
  ErrorDetail,
  InputProperty,
  InputSchema,
  Job,
  JobStatus,
  ListModelsQuery,
  Model,
  ModelCategory,
  ModelPricing,
  ModelStatus,
  ModelSummary,
  Output,
  OutputItem,
  OutputType,
  RunCompleted,
  RunProcessing,
  RunQueued,
  RunRequest,
  RunResponse,
} from '@modelrun/contract'
export { ModelRun } from './client.ts'
export type { Clock } from './clock.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  InsufficientCreditsError,
  InvalidRequestError,
  isApiError,
  isAuthenticationError,
  isConflictError,
  isInsufficientCreditsError,
  isInvalidRequestError,
  isNotFoundError,
  isPermissionDeniedError,
  isRateLimitError,
  isServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from './errors/api-errors.ts'
export {
  DurableRunError,
  isDurableRunError,
  isJobCancelledError,
  isJobFailedError,
  JobCancelledError,
  JobFailedError,
} from './errors/job-errors.ts'
export {
  BudgetExceededError,
  ConfigurationError,
  type InputIssue,
  InputValidationError,
  isBudgetExceededError,
  isConfigurationError,
  isInputValidationError,
  isWebhookParseError,
  WebhookParseError,
} from './errors/local-errors.ts'
export { type Attempt, isModelRunError, ModelRunError, type Submission } from './errors/model-run-error.ts'
export {
  AbortedError,
  AttemptTimeoutError,
  ConnectionError,
  DeadlineExceededError,
  HookError,
  InvalidResponseError,
  isAbortedError,
  isAttemptTimeoutError,
  isConnectionError,
  isDeadlineExceededError,
  isHookError,
  isInvalidResponseError,
} from './errors/transport-errors.ts'
export type { DownloadedFile } from './files/download.ts'
export type { DownloadOptions, SaveOptions, ToDataUriOptions } from './files/file-options.ts'
export type { FilesResource } from './files/files-resource.ts'
export type { FileSource } from './files/open-source.ts'
export type { ProducedOutput } from './files/save-files.ts'
export { toDataUri } from './files/to-data-uri.ts'
export type { ApiPromise } from './http/api-promise.ts'
export type { FetchInit, FetchLike, FetchOptions, FetchResponse, HeadersOption } from './http/fetch.ts'
export type { Middleware, MiddlewareContext } from './http/middleware.ts'
export type { ApiResult, CallOptions, RequestMethod } from './http/operation.ts'
export type { RequestOptions } from './http/raw-request.ts'
export type { ApiKey } from './http/send-attempt.ts'
export type { JobHandle, JobSource, UnfinishedJobPolicy, WaitOptions } from './jobs/job-handle.ts'
export type { CancelResult } from './jobs/job-operations.ts'
export type { JobJson } from './jobs/job-reference.ts'
export type { JobsResource, SettledJob } from './jobs/jobs-resource.ts'
export type { ExpectedDuration, PollContext, PollingOptions } from './jobs/polling/polling-options.ts'
export type {
  AnyModelId,
  ManyInput,
  ManyInputs,
  ModelId,
  ModelInput,
  ModelInputs,
  ModelInputsSettings,
  RunBody,
} from './models/model-inputs.ts'
export type { ModelsPage, ModelsPagePromise } from './models/models-page.ts'
export type { ModelsResource } from './models/models-resource.ts'
export { schemaHash } from './models/schema-hash.ts'
export { type ChangedModelsOptions, warnOfChangedModels } from './models/warn-of-changed-models.ts'
export type { Logger, LogLevel } from './observe/logger.ts'
export { ATTEMPT_CHANNEL, type AttemptEvent } from './observe/logger.ts'
export type { Span, SpanAttributes, Tracer } from './observe/safe-span.ts'
export type { ModelRunOptions } from './options.ts'
export { findInputIssues } from './runs/input-issues.ts'
export type {
  DurableItem,
  DurableRun,
  DurableRuns,
  RunManyOptions,
  RunManyProgress,
  SettledRun,
} from './runs/run-many-options.ts'
export type { AnyRunResponse, UnrecognizedRunResponse } from './runs/run-operation.ts'
export type { PreflightOptions, RunOptions, SubmitOptions, WebhookReceiver } from './runs/run-options.ts'
export type { RunOutcome, RunResult } from './runs/run-result.ts'
