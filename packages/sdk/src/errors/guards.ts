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
import { guard, isModelRunError } from './guard.ts'
import type { JobCancelledError, JobFailedError } from './job-errors.ts'
import type {
  BudgetExceededError,
  ConfigurationError,
  InputValidationError,
  WebhookParseError,
} from './local-errors.ts'
import { ERROR_BRAND } from './model-run-error.ts'
import type {
  AbortedError,
  AttemptTimeoutError,
  ConnectionError,
  DeadlineExceededError,
  HookError,
  InvalidResponseError,
} from './transport-errors.ts'

export { isModelRunError }

/** True when the service answered with an error status. */
export function isApiError(error: unknown): error is ApiError {
  return isModelRunError(error) && error[ERROR_BRAND] === 'api'
}

export const isAuthenticationError = /* @__PURE__ */ guard<AuthenticationError>('AuthenticationError')
export const isPermissionDeniedError = /* @__PURE__ */ guard<PermissionDeniedError>('PermissionDeniedError')
export const isNotFoundError = /* @__PURE__ */ guard<NotFoundError>('NotFoundError')
export const isInvalidRequestError = /* @__PURE__ */ guard<InvalidRequestError>('InvalidRequestError')
export const isInsufficientCreditsError = /* @__PURE__ */ guard<InsufficientCreditsError>('InsufficientCreditsError')
export const isConflictError = /* @__PURE__ */ guard<ConflictError>('ConflictError')
export const isRateLimitError = /* @__PURE__ */ guard<RateLimitError>('RateLimitError')
export const isServerError = /* @__PURE__ */ guard<ServerError>('ServerError')
export const isConnectionError = /* @__PURE__ */ guard<ConnectionError>('ConnectionError')
export const isAttemptTimeoutError = /* @__PURE__ */ guard<AttemptTimeoutError>('AttemptTimeoutError')
export const isAbortedError = /* @__PURE__ */ guard<AbortedError>('AbortedError')
export const isHookError = /* @__PURE__ */ guard<HookError>('HookError')
export const isInvalidResponseError = /* @__PURE__ */ guard<InvalidResponseError>('InvalidResponseError')
export const isDeadlineExceededError = /* @__PURE__ */ guard<DeadlineExceededError>('DeadlineExceededError')
export const isJobFailedError = /* @__PURE__ */ guard<JobFailedError>('JobFailedError')
export const isJobCancelledError = /* @__PURE__ */ guard<JobCancelledError>('JobCancelledError')
export const isConfigurationError = /* @__PURE__ */ guard<ConfigurationError>('ConfigurationError')
export const isInputValidationError = /* @__PURE__ */ guard<InputValidationError>('InputValidationError')
export const isBudgetExceededError = /* @__PURE__ */ guard<BudgetExceededError>('BudgetExceededError')
export const isWebhookParseError = /* @__PURE__ */ guard<WebhookParseError>('WebhookParseError')
