import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, show } from '../json.ts'
import { type Finding, judge, observe } from './finding.ts'

/** Judges the HTTP status. */
export function hasStatus(response: ApiResponse, ...allowed: readonly number[]): Finding {
  return judge(
    allowed.includes(response.status),
    `status ${response.status}; expected ${allowed.join(' or ')}`,
    response,
  )
}

/** Judges that the HTTP status is one of success, where the specification names none. */
export function isSuccess(response: ApiResponse): Finding {
  const isRight = response.status >= 200 && response.status < 300
  return judge(isRight, `status ${response.status}; expected one of success`, response)
}

/** Judges that a value is text, and not empty. */
export function hasText(response: ApiResponse, pointer: string): Finding {
  const value = at(response.json, pointer)
  return judge(typeof value === 'string' && value !== '', `${pointer} is ${show(value)}; expected text`, response)
}

/** Judges that a value is an integer, 0 or more. */
export function hasCount(response: ApiResponse, pointer: string): Finding {
  const value = at(response.json, pointer)
  const isCount = Number.isSafeInteger(value) && Number(value) >= 0
  return judge(isCount, `${pointer} is ${show(value)}; expected an integer, 0 or more`, response)
}

/** Judges that a value is one of the allowed. */
export function hasValue(response: ApiResponse, pointer: string, ...allowed: readonly unknown[]): Finding {
  const value = at(response.json, pointer)
  const expected = allowed.map(show).join(' or ')
  return judge(allowed.includes(value), `${pointer} is ${show(value)}; expected ${expected}`, response)
}

/** Judges that a value is a JSON object. */
export function hasObject(response: ApiResponse, pointer: string): Finding {
  const value = at(response.json, pointer)
  return judge(isRecord(value), `${pointer || 'the body'} is ${show(value)}; expected an object`, response)
}

/** Judges that a member is not there. */
export function lacks(response: ApiResponse, pointer: string): Finding {
  const value = at(response.json, pointer)
  return judge(value === undefined || value === null, `${pointer} is ${show(value)}; expected nothing`, response)
}

/** Judges the `Content-Type`. */
export function isJson(response: ApiResponse): Finding {
  const contentType = response.headers.get('content-type')
  const isRight = /^application\/(\S+\+)?json\b/i.test(contentType ?? '') && response.json !== undefined
  return judge(isRight, `content type ${show(contentType ?? undefined)}; expected a JSON body`, response)
}

/** A status with its error code, as an observation. */
export function rejectionOf(response: ApiResponse): { status: number; code: string | null } {
  const code = at(response.json, '/error/code')
  return { status: response.status, code: typeof code === 'string' ? code : null }
}

/** The same in words. */
export function rejectionText(response: ApiResponse): string {
  const { status, code } = rejectionOf(response)
  return code === null ? `status ${status}` : `status ${status} with the code ${code}`
}

/** Records how a request is rejected, or that it is accepted. */
export function observeRejection(response: ApiResponse): Finding {
  return observe(rejectionOf(response), rejectionText(response), response)
}
