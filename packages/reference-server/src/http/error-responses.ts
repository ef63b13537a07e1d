import type { ErrorBody, ErrorCode } from '@modelrun/contract'
import { jsonResponse } from './json-response.ts'

/** The answers to requests that are refused (section 7): a code for programs, a message for people. */
export const errorResponses = {
  unauthorized: (message: string) =>
    errorResponse(401, { code: 'UNAUTHORIZED', message }, { 'www-authenticate': 'Bearer' }),
  forbidden: (message: string) => errorResponse(403, { code: 'FORBIDDEN', message }),
  invalid: (message: string) => errorResponse(400, { code: 'VALIDATION_ERROR', message }),
  notFound: (message: string) => errorResponse(404, { code: 'NOT_FOUND', message }),
  methodNotAllowed: (method: string, allow: string) => {
    const message = `This path does not take ${method}. It takes: ${allow}.`
    return errorResponse(405, { code: 'METHOD_NOT_ALLOWED', message }, { allow })
  },
  conflict: (message: string) => errorResponse(409, { code: 'CONFLICT', message }),
  payloadTooLarge: (message: string) => errorResponse(413, { code: 'PAYLOAD_TOO_LARGE', message }),
  internal: (message: string) => errorResponse(500, { code: 'INTERNAL_ERROR', message }),
  unavailable: (message: string) => errorResponse(503, { code: 'UNAVAILABLE', message }),
}

function errorResponse(
  status: number,
  error: { code: ErrorCode; message: string },
  headers?: Readonly<Record<string, string>>,
): Response {
  return jsonResponse(status, { error } satisfies ErrorBody, headers)
}
