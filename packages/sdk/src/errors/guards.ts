import type {
  ApiError,
  AuthenticationError,
  ConflictError,
  InsufficientCreditsError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
} from './api-errors.ts'
import type { DurableRunError, JobCancelledError, JobFailedError } from './job-errors.ts'
import type {
  BudgetExceededError,
  ConfigurationError,
  InputValidationError,
  WebhookParseError,
} from './local-errors.ts'
import { ERROR_BRAND, guard, isModelRunError } from './model-run-error.ts'
import type {
  AbortedError,
  AttemptTimeoutError,
  ConnectionError,
  DeadlineExceededError,
  HookError,
  InvalidResponseError,
} from './transport-errors.ts'

export { isModelRunError }

/** True when the service responded with an error status. */
export function isApiError(error: unknown): error is ApiError {
  return isModelRunError(error) && error[ERROR_BRAND] === 'api'
}

/** Whether an error is an `AuthenticationError`: 401, the key is missing, wrong or revoked. */
export const isAuthenticationError = /* @__PURE__ */ guard<AuthenticationError>('AuthenticationError')
/** Whether an error is a `PermissionDeniedError`: 403, the key lacks a permission. */
export const isPermissionDeniedError = /* @__PURE__ */ guard<PermissionDeniedError>('PermissionDeniedError')
/** Whether an error is a `NotFoundError`: 404, the model or job does not exist for this key. */
export const isNotFoundError = /* @__PURE__ */ guard<NotFoundError>('NotFoundError')
/** Whether an error is an `InvalidRequestError`: 400 or 422, a parameter is wrong. */
export const isInvalidRequestError = /* @__PURE__ */ guard<InvalidRequestError>('InvalidRequestError')
/** Whether an error is an `InsufficientCreditsError`: 402, the account cannot pay the run. */
export const isInsufficientCreditsError = /* @__PURE__ */ guard<InsufficientCreditsError>('InsufficientCreditsError')
/** Whether an error is a `ConflictError`: 409, the state of the job does not allow it. */
export const isConflictError = /* @__PURE__ */ guard<ConflictError>('ConflictError')
/** Whether an error is a `RateLimitError`: 429, too many requests. */
export const isRateLimitError = /* @__PURE__ */ guard<RateLimitError>('RateLimitError')
/** Whether an error is a `ServerError`: 5xx, the service failed. */
export const isServerError = /* @__PURE__ */ guard<ServerError>('ServerError')
/** Whether an error is a `ConnectionError`: the service could not be reached, or the connection broke. */
export const isConnectionError = /* @__PURE__ */ guard<ConnectionError>('ConnectionError')
/** Whether an error is an `AttemptTimeoutError`: one request took longer than `timeoutMs`. */
export const isAttemptTimeoutError = /* @__PURE__ */ guard<AttemptTimeoutError>('AttemptTimeoutError')
/** Whether an error is an `AbortedError`: the caller's signal aborted. */
export const isAbortedError = /* @__PURE__ */ guard<AbortedError>('AbortedError')
/** Whether an error is a `HookError`: a hook of the caller's ky instance failed. */
export const isHookError = /* @__PURE__ */ guard<HookError>('HookError')
/** Whether an error is an `InvalidResponseError`: the response is not what the specification shows. */
export const isInvalidResponseError = /* @__PURE__ */ guard<InvalidResponseError>('InvalidResponseError')
/** Whether an error is a `DeadlineExceededError`: `deadlineMs` passed. */
export const isDeadlineExceededError = /* @__PURE__ */ guard<DeadlineExceededError>('DeadlineExceededError')
/** Whether an error is a `JobFailedError`: the job ended `failed`. */
export const isJobFailedError = /* @__PURE__ */ guard<JobFailedError>('JobFailedError')
/** Whether an error is a `JobCancelledError`: the job was cancelled. */
export const isJobCancelledError = /* @__PURE__ */ guard<JobCancelledError>('JobCancelledError')
/** Whether an error is a `DurableRunError`: a run of a durable batch was rejected, or may have been sent. */
export const isDurableRunError = /* @__PURE__ */ guard<DurableRunError>('DurableRunError')
/** Whether an error is a `ConfigurationError`: an option or argument is missing or wrong. */
export const isConfigurationError = /* @__PURE__ */ guard<ConfigurationError>('ConfigurationError')
/** Whether an error is an `InputValidationError`: the input does not fit the model, or JSON cannot hold it. */
export const isInputValidationError = /* @__PURE__ */ guard<InputValidationError>('InputValidationError')
/** Whether an error is a `BudgetExceededError`: the run costs more than `maxCredits`. */
export const isBudgetExceededError = /* @__PURE__ */ guard<BudgetExceededError>('BudgetExceededError')
/** Whether an error is a `WebhookParseError`: a webhook body is not a delivery. */
export const isWebhookParseError = /* @__PURE__ */ guard<WebhookParseError>('WebhookParseError')
