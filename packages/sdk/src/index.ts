/**
 * Typed client for the model inference service.
 *
 * @module
 */
export type {
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
  ServiceErrorCode,
} from '@modelrun/contract'
export { type Attempt, ConfigurationError, ModelRunError, type Submission } from '@modelrun/kit'
export { ModelRun } from './client/client.ts'
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
} from './client/errors/api-errors.ts'
export { JobCancelledError, JobFailedError } from './client/errors/job-errors.ts'
export {
  BudgetExceededError,
  type InputIssue,
  InputValidationError,
  SaveError,
  WebhookParseError,
} from './client/errors/local-errors.ts'
export {
  AbortedError,
  AttemptTimeoutError,
  ConnectionError,
  DeadlineExceededError,
  HookError,
  InvalidResponseError,
} from './client/errors/transport-errors.ts'
export type { DownloadedFile } from './client/files/download.ts'
export type { DownloadOptions, SaveOptions, ToDataUriOptions } from './client/files/file-options.ts'
export type { FilesResource } from './client/files/files-resource.ts'
export type { ProducedOutput } from './client/files/save-files.ts'
export { toDataUri } from './client/files/to-data-uri.ts'
export type { ApiPromise } from './client/http/api-promise.ts'
export type { FetchInit, FetchLike, FetchOptions, FetchResponse, HeadersOption } from './client/http/fetch.ts'
export type { ApiResult, CallOptions, RequestMethod } from './client/http/operation.ts'
export type { JobHandle, JobJson, JobSource, WaitOptions } from './client/job-handle.ts'
export { isEnded, isFailed, isSucceeded } from './client/jobs/job-guards.ts'
export type { CancelResult } from './client/jobs/job-operations.ts'
export type { JobsResource, SettledJob } from './client/jobs/jobs-resource.ts'
export type { PollingOptions } from './client/jobs/polling/polling-options.ts'
export type { RunResult } from './client/jobs/run-result.ts'
export type { AnyModelId, ModelId, ModelInput, ModelInputs, ModelInputsSettings } from './client/models/model-inputs.ts'
export type { ModelsPage, ModelsPagePromise } from './client/models/models-page.ts'
export type { ModelsResource } from './client/models-resource.ts'
export type { Logger, LogLevel } from './client/observe/logger.ts'
export { ATTEMPT_CHANNEL, type AttemptEvent } from './client/observe/logger.ts'
export type { ModelRunOptions } from './client/options.ts'
export type { RequestOptions } from './client/runs/raw-request.ts'
export type { RunManyOptions, RunManyProgress, SettledRun } from './client/runs/run-many-options.ts'
export type { AnyRunResponse } from './client/runs/run-operation.ts'
export type { ResultReceiver, RunOptions, SubmitOptions } from './client/runs/run-options.ts'
export type { Clock } from './shared/clock.ts'
