import { isText } from '@modelrun/kit'
import { every, type Finding, judge, observe, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, isRecord, itemsOf, type JsonValue, show } from '../json.ts'
import { errorMembers, PROVIDER_FAILURE } from './error-members.ts'
import { utcTimeOf } from './utc-timestamp.ts'

/** What a value must be, and how that is said. */
export type Rule = readonly [isRight: (value: unknown) => boolean, expected: string]

export const text: Rule = [isText, 'text']
/** The same, which may be empty. */
export const anyText: Rule = [(value) => typeof value === 'string', 'text']
export const count: Rule = [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'an integer, 0 or more']
export const object: Rule = [isRecord, 'an object']
export const objects: Rule = [(value) => Array.isArray(value) && value.every(isRecord), 'an array of objects']
const url: Rule = [(value) => typeof value === 'string' && URL.canParse(value), 'an absolute url']
export const utcTime: Rule = [(value) => utcTimeOf(value) !== undefined, 'a time of ISO 8601 in UTC']
/** `null` is as good as left out. */
export const none: Rule = [(value) => value === undefined || value === null, 'nothing']
export const oneOf = (...all: readonly unknown[]): Rule => [(value) => all.includes(value), all.map(show).join(' or ')]
/** What has a body and can be proven: a response, or a delivery. */
export type Shown = Pick<ApiResponse, 'json' | 'exchange'>

/** Judges members of a body by their pointers, below another one. */
export function holds(shown: Shown, rules: Readonly<Record<string, Rule>>, below = ''): Finding[] {
  return Object.entries(rules).map(([name, [isRight, expected]]) => {
    const [pointer, value] = [`${below}${name}`, at(shown.json, `${below}${name}`)]
    return judge(isRight(value), `${pointer || 'the body'} is ${show(value)}; expected ${expected}`, shown)
  })
}

/** Judges members that the specification does not ask for here, as far as they are there. */
export function shownOnly(shown: Shown, below: string, rules: Record<string, Rule>): Finding[] {
  const there = Object.entries(rules).filter(([pointer]) => (at(shown.json, below + pointer) ?? null) !== null)
  if (there.length === 0) return [skip('nothing is repeated', shown)]
  return holds(shown, Object.fromEntries(there), below)
}

const OUTPUT = { '': object, '/type': text, '/items': objects }
const ITEM = { '/type': text, '/url': url }
/** The error of a failed job, or of a request (sections 2.4 and 7). */
export const ERROR = { '/error': object, '/error/code': text, '/error/message': text }

/** The code of an error of a run that failed at the provider (section 7). */
export const AT_PROVIDER = { '/error/code': oneOf(PROVIDER_FAILURE) }

/** Judges an output (section 2.5) that stands at a pointer. */
export function hasOutput(shown: Shown, pointer: string): Finding {
  const items = itemsOf(at(shown.json, `${pointer}/items`)).map((_, index) => `${pointer}/items/${index}`)
  return every([...holds(shown, OUTPUT, pointer), ...items.flatMap((item) => holds(shown, ITEM, item))])
}

/** Judges that two outputs of one job are the same. Each response may sign the addresses again. */
export function sameOutput(...[[one, pointer], [other, otherPointer]]: [[Shown, string], [Shown, string]]): Finding {
  const [shown, expected] = [outputShown(other.json, otherPointer), outputShown(one.json, pointer)]
  const detail = `the output is ${shown} (its type, and those of its items), and was ${expected}`
  return judge(shown === expected, detail, [one, other])
}

function outputShown(json: unknown, pointer: string): string {
  const items = at(json, `${pointer}/items`)
  return show([at(json, `${pointer}/type`), Array.isArray(items) ? items.map((item) => at(item, '/type')) : items])
}

/** Judges the HTTP status. */
export function hasStatus(response: ApiResponse, ...allowed: readonly number[]): Finding {
  const detail = `status ${response.status}; expected ${allowed.join(' or ')}`
  return judge(allowed.includes(response.status), detail, response)
}

/** Judges the `Content-Type`. */
export function isJson(response: ApiResponse): Finding {
  const contentType = response.headers.get('content-type')
  const isRight = /^application\/(\S+\+)?json\b/i.test(contentType ?? '') && response.json !== undefined
  return judge(isRight, `content type ${show(contentType ?? undefined)}; expected a JSON body`, response)
}

/**
 * A status with its error code, and what the error holds beside code and message, as an observation.
 *
 * @param parameter the wrong one: members that are named after it are those of any other one
 */
export function rejectionOf({ status, json }: Pick<ApiResponse, 'status' | 'json'>, parameter = '') {
  const code = at(json, '/error/code')
  const members = status < 400 ? {} : ofAnyParameter(errorMembers(json), parameter)
  const more = Object.keys(members).length === 0 ? {} : { members }
  return { status, code: typeof code === 'string' ? code : null, ...more }
}

function ofAnyParameter(members: Record<string, JsonValue>, parameter: string): Record<string, JsonValue> {
  if (!/^\w+$/.test(parameter)) return members
  return JSON.parse(JSON.stringify(members).replaceAll(new RegExp(`\\b${parameter}\\b`, 'g'), '{parameter}'))
}

/** The same in words. */
export function rejectionText({ status, json }: ApiResponse): string {
  const code = at(json, '/error/code')
  return typeof code === 'string' ? `status ${status} with the code ${code}` : `status ${status}`
}

/** Records how a request is rejected, or that it is accepted. */
export function observeRejection(response: ApiResponse): Finding {
  return observe(rejectionOf(response), rejectionText(response), response)
}
