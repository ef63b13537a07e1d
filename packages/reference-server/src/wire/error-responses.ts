import type { ErrorBody } from '@modelrun/contract'
import type { Rejection } from '@modelrun/contract/assumptions'
import { jsonReply, type Reply } from './messages.ts'

/** The error codes of the server (section 7) that no assumption sets, each with the HTTP status of its response. */
const SERVER_ERROR_CODES = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  VALIDATION_ERROR: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} as const

export type ServerErrorCode = keyof typeof SERVER_ERROR_CODES

/** An error response (section 7), with a code for programs and a message for people. */
export function errorResponse(
  code: ServerErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return jsonReply(SERVER_ERROR_CODES[code], { error: { code, message } } satisfies ErrorBody, { headers, code })
}

/** An error response whose status and code an assumption sets. */
export function rejectionResponse({ status, code }: Rejection, message: string): Reply {
  return jsonReply(status, { error: { code, message } } satisfies ErrorBody, { code })
}

export function unauthorized(message: string): Reply {
  return errorResponse('UNAUTHORIZED', message, { 'www-authenticate': 'Bearer' })
}

export function methodNotAllowed(method: string, allow: string): Reply {
  return errorResponse('METHOD_NOT_ALLOWED', `This path does not take ${method}. It takes: ${allow}.`, { allow })
}
