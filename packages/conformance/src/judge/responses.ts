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

/** Judges a value of the body. */
export function has(
  response: ApiResponse,
  pointer: string,
  [isRight, expected]: readonly [(value: unknown) => boolean, string],
): Finding {
  const value = at(response.json, pointer)
  return judge(isRight(value), `${pointer || 'the body'} is ${show(value)}; expected ${expected}`, response)
}

type Rule = (response: ApiResponse, pointer: string) => Finding
const ruled =
  (isRight: (value: unknown) => boolean, expected: string): Rule =>
  (response, pointer) =>
    has(response, pointer, [isRight, expected])

export const hasText = /* @__PURE__ */ ruled((value) => typeof value === 'string' && value !== '', 'text')
export const hasCount = /* @__PURE__ */ ruled(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'an integer, 0 or more',
)
export const hasObject = /* @__PURE__ */ ruled(isRecord, 'an object')
export const hasObjects = /* @__PURE__ */ ruled(
  (value) => Array.isArray(value) && value.every(isRecord),
  'an array of objects',
)
export const hasUrl = /* @__PURE__ */ ruled(
  (value) => typeof value === 'string' && URL.canParse(value),
  'an absolute url',
)
/** Judges that a member is not there. */
export const lacks = /* @__PURE__ */ ruled((value) => value === undefined || value === null, 'nothing')

/** Judges that a value is one of the allowed. */
export function hasValue(response: ApiResponse, pointer: string, ...allowed: readonly unknown[]): Finding {
  return has(response, pointer, [(value) => allowed.includes(value), allowed.map(show).join(' or ')])
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
