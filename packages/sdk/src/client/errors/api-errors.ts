import type { ServiceErrorCode } from '@modelrun/contract'
import { type ErrorFields, ModelRunError, named } from '@modelrun/kit'

/** The fields of an error response of the service, besides {@link ErrorFields}. */
export interface ApiErrorFields extends ErrorFields {
  status: number
  /** `error.code` of the body (section 7), when the body has one. */
  apiCode?: ServiceErrorCode | undefined
}

/** The service responded with an error status. The subclasses are for single statuses; any other status is an `ApiError`. */
export class ApiError extends ModelRunError {
  override get name(): string {
    return 'ApiError'
  }
  override get code(): string {
    return 'api_error'
  }
  declare readonly status: number
  /** `error.code` of the response (section 7), e.g. `UNAUTHORIZED`; absent when the body is not the service's. */
  declare readonly apiCode?: ServiceErrorCode | undefined
  /** The parsed body, or its text when it is not JSON. */
  declare readonly body: unknown

  constructor(fields: ApiErrorFields) {
    super(fields)
    if (fields.apiCode !== undefined) this.apiCode = fields.apiCode
  }
}

/** 401: the API key is missing or invalid (section 5). */
export class AuthenticationError extends /* @__PURE__ */ named(
  ApiError,
  'AuthenticationError',
  'authentication_failed',
) {}

/** 403: the key is valid and lacks a permission (section 5). */
export class PermissionDeniedError extends /* @__PURE__ */ named(
  ApiError,
  'PermissionDeniedError',
  'permission_denied',
) {}

/** 404: the model or job does not exist. */
export class NotFoundError extends /* @__PURE__ */ named(ApiError, 'NotFoundError', 'not_found') {}

/** 400 or 422: the service rejected the request's content. */
export class InvalidRequestError extends /* @__PURE__ */ named(ApiError, 'InvalidRequestError', 'invalid_request') {}

/** 402: the account does not have enough credits. */
export class InsufficientCreditsError extends /* @__PURE__ */ named(
  ApiError,
  'InsufficientCreditsError',
  'insufficient_credits',
) {}

/** 409: the state of the job or model does not allow it, e.g. to cancel a finished job. */
export class ConflictError extends /* @__PURE__ */ named(ApiError, 'ConflictError', 'conflict') {}

/** 429: too many requests, still after the client's own retries. */
export class RateLimitError extends /* @__PURE__ */ named(ApiError, 'RateLimitError', 'rate_limited') {}

/** 5xx: the service failed. */
export class ServerError extends /* @__PURE__ */ named(ApiError, 'ServerError', 'server_error') {}

const CLASSES: Readonly<Record<number, new (fields: ApiErrorFields) => ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: InsufficientCreditsError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: InvalidRequestError,
  429: RateLimitError,
}

/** The error for an HTTP status: a `ServerError` from 500 on, and an `ApiError` for a status that has no class. */
export function createApiError(fields: ApiErrorFields): ApiError {
  const ApiErrorOfStatus = CLASSES[fields.status] ?? (fields.status >= 500 ? ServerError : ApiError)
  return new ApiErrorOfStatus(fields)
}
