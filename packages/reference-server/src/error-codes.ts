/**
 * The error codes of the server (section 7), each with the HTTP status of its response. The option `assumptions` may
 * replace some of them.
 *
 * To add one: a line here. The compiler then asks for its hints.
 */
export const SERVER_ERROR_CODES = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  VALIDATION_ERROR: 400,
  INSUFFICIENT_CREDITS: 402,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
  PROVIDER_FAILURE: 502,
} as const

/** An error code that the server sends by default. */
export type ServerErrorCode = keyof typeof SERVER_ERROR_CODES

export function isServerErrorCode(code: string): code is ServerErrorCode {
  return Object.hasOwn(SERVER_ERROR_CODES, code)
}
