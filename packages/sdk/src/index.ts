/**
 * Typed client for the model inference service.
 *
 * @module
 */
export type {
  ErrorCode,
  InputProperty,
  InputSchema,
  Job,
  JobStatus,
  ListModelsQuery,
  Model,
  ModelSummary,
  Output,
  OutputItem,
  RunCompleted,
  RunProcessing,
  RunQueued,
  RunRequest,
  RunResponse,
} from '@modelrun/contract'
export { type Attempt, ConfigurationError, ModelRunError, type Submission } from '@modelrun/kit'
export { ModelRun } from './client.ts'
export type { Clock } from './clock.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  InsufficientCreditsError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from './errors/api-errors.ts'
export { JobCancelledError, JobFailedError } from './errors/job-errors.ts'
export {
  BudgetExceededError,
  type InputIssue,
  InputValidationError,
  SaveError,
  WebhookParseError,
} from './errors/local-errors.ts'
export {
  AbortedError,
  AttemptTimeoutError,
  ConnectionError,
  DeadlineExceededError,
  HookError,
  InvalidResponseError,
} from './errors/transport-errors.ts'
export type { DownloadedFile } from './files/download.ts'
export type { DownloadOptions, SaveOptions, ToDataUriOptions } from './files/file-options.ts'
export type { FilesResource } from './files/files-resource.ts'
export type { ProducedOutput } from './files/save-files.ts'
export { toDataUri } from './files/to-data-uri.ts'
export type { ApiPromise } from './http/api-promise.ts'
export type { FetchInit, FetchLike, FetchOptions, FetchResponse, HeadersOption } from './http/fetch.ts'
export type { ApiResult, CallOptions, RequestMethod } from './http/operation.ts'
export type { RequestOptions } from './http/raw-request.ts'
export type { JobHandle, JobSource, WaitOptions } from './jobs/job-handle.ts'
export type { CancelResult } from './jobs/job-operations.ts'
export type { JobJson } from './jobs/job-reference.ts'
export type { JobsResource, SettledJob } from './jobs/jobs-resource.ts'
export type { PollingOptions } from './jobs/polling/polling-options.ts'
export type { ResultReceiver } from './jobs/result-receiver.ts'
export type { AnyModelId, ModelId, ModelInput, ModelInputs, ModelInputsSettings } from './models/model-inputs.ts'
export type { ModelsPage, ModelsPagePromise } from './models/models-page.ts'
export type { ModelsResource } from './models/models-resource.ts'
export type { Logger, LogLevel } from './observe/logger.ts'
export { ATTEMPT_CHANNEL, type AttemptEvent } from './observe/logger.ts'
export type { Span, Tracer } from './observe/safe-span.ts'
export type { ModelRunOptions } from './options.ts'
export type { RunManyOptions, RunManyProgress, SettledRun } from './runs/run-many-options.ts'
export type { AnyRunResponse } from './runs/run-operation.ts'
export type { RunOptions, SubmitOptions } from './runs/run-options.ts'
export type { RunOutcome, RunResult } from './runs/run-result.ts'
