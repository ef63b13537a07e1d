import type { ErrorBody, ErrorCode } from '@modelrun/contract'
import { jsonResponse } from './json-response.ts'

/** The answers to requests that are refused (section 7): a code for programs, a message for people. */
export const errorResponses = {
  unauthorized: (message: string) => refuse(401, { code: 'UNAUTHORIZED', message }, { 'www-authenticate': 'Bearer' }),
  forbidden: (message: string) => refuse(403, { code: 'FORBIDDEN', message }),
  invalid: (message: string) => refuse(400, { code: 'VALIDATION_ERROR', message }),
  notFound: (message: string) => refuse(404, { code: 'NOT_FOUND', message }),
  methodNotAllowed: (method: string, allow: string) => {
    const message = `This path does not take ${method}. It takes: ${allow}.`
    return refuse(405, { code: 'METHOD_NOT_ALLOWED', message }, { allow })
  },
  conflict: (message: string) => refuse(409, { code: 'CONFLICT', message }),
  payloadTooLarge: (message: string) => refuse(413, { code: 'PAYLOAD_TOO_LARGE', message }),
  internal: (message: string) => refuse(500, { code: 'INTERNAL_ERROR', message }),
  unavailable: (message: string) => refuse(503, { code: 'UNAVAILABLE', message }),
}

function refuse(
  status: number,
  error: { code: ErrorCode; message: string },
  headers?: Readonly<Record<string, string>>,
): Response {
  return jsonResponse(status, { error } satisfies ErrorBody, headers)
}
