import type { Answer } from '../http/answer.ts'
import { at, isRecord, show } from '../json.ts'
import { type Finding, judge } from './finding.ts'

/** Judges the HTTP status. */
export function hasStatus(answer: Answer, ...allowed: readonly number[]): Finding {
  return judge(allowed.includes(answer.status), `status ${answer.status}; expected ${allowed.join(' or ')}`, answer)
}

/** Judges that the HTTP status is one of success, where the specification names none. */
export function isSuccess(answer: Answer): Finding {
  const isRight = answer.status >= 200 && answer.status < 300
  return judge(isRight, `status ${answer.status}; expected one of success`, answer)
}

/** Judges that a value is text, and not empty. */
export function hasText(answer: Answer, pointer: string): Finding {
  const value = at(answer.json, pointer)
  return judge(typeof value === 'string' && value !== '', `${pointer} is ${show(value)}; expected text`, answer)
}

/** Judges that a value is an integer, 0 or more. */
export function hasCount(answer: Answer, pointer: string): Finding {
  const value = at(answer.json, pointer)
  const isCount = Number.isSafeInteger(value) && Number(value) >= 0
  return judge(isCount, `${pointer} is ${show(value)}; expected an integer, 0 or more`, answer)
}

/** Judges that a value is one of the allowed. */
export function hasValue(answer: Answer, pointer: string, ...allowed: readonly unknown[]): Finding {
  const value = at(answer.json, pointer)
  const expected = allowed.map(show).join(' or ')
  return judge(allowed.includes(value), `${pointer} is ${show(value)}; expected ${expected}`, answer)
}

/** Judges that a value is a JSON object. */
export function hasObject(answer: Answer, pointer: string): Finding {
  const value = at(answer.json, pointer)
  return judge(isRecord(value), `${pointer || 'the body'} is ${show(value)}; expected an object`, answer)
}

/** Judges that a member is not there. */
export function lacks(answer: Answer, pointer: string): Finding {
  const value = at(answer.json, pointer)
  return judge(value === undefined || value === null, `${pointer} is ${show(value)}; expected nothing`, answer)
}

/** Judges the `Content-Type`. */
export function isJson(answer: Answer): Finding {
  const contentType = answer.headers.get('content-type')
  const isRight = /^application\/(\S+\+)?json\b/i.test(contentType ?? '') && answer.json !== undefined
  return judge(isRight, `content type ${show(contentType ?? undefined)}; expected a JSON body`, answer)
}

/** A status with its error code, as an observation. */
export function refusalOf(answer: Answer): { status: number; code: string | null } {
  const code = at(answer.json, '/error/code')
  return { status: answer.status, code: typeof code === 'string' ? code : null }
}

/** The same in words. */
export function refusalText(answer: Answer): string {
  const { status, code } = refusalOf(answer)
  return code === null ? `status ${status}` : `status ${status} with the code ${code}`
}
