import { isText } from '@modelrun/kit'
import { every, type Finding, judge } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { originOf } from './api-calls.ts'
import { PROVIDER_FAILURE } from './world.ts'

/** What a value must be, and how that is said. */
export type Rule = readonly [isRight: (value: unknown) => boolean, expected: string]

export const filledString: Rule = [isText, 'a string that is not empty']
export const string: Rule = [(value) => typeof value === 'string', 'a string']
export const count: Rule = [(value) => Number.isSafeInteger(value) && Number(value) >= 0, 'an integer, 0 or more']
export const object: Rule = [isRecord, 'an object']
export const objects: Rule = [(value) => Array.isArray(value) && value.every(isRecord), 'an array of objects']
const url: Rule = [(value) => typeof value === 'string' && URL.canParse(value), 'an absolute URL']
export const utcTime: Rule = [isUtcTime, 'an ISO 8601 timestamp in UTC']
/** `null` is as good as left out. */
export const absent: Rule = [(value) => value === undefined || value === null, 'it to be left out']
export const oneOf = (...all: readonly unknown[]): Rule => [(value) => all.includes(value), all.map(show).join(' or ')]
/** What has a body and can be proven: a response, or a delivery. */
export type Shown = Pick<ApiResponse, 'json' | 'exchange'>

/** Judges members of a body by their pointers, below another one. */
export function holds(shown: Shown, rules: Readonly<Record<string, Rule>>, below = ''): Finding[] {
  return Object.entries(rules).map(([name, [isRight, expected]]) => {
    const [pointer, value] = [`${below}${name}`, at(shown.json, `${below}${name}`)]
    const detail = `${originOf(shown.exchange)}: ${pointer || 'the body'} is ${show(value)}; expected ${expected}`
    return judge(isRight(value), detail, shown)
  })
}

const OUTPUT = { '': object, '/type': filledString, '/items': objects }
const ITEM = { '/type': filledString, '/url': url }
/** The error of a failed job, or of a request (sections 2.4 and 7). */
export const ERROR = { '/error': object, '/error/code': filledString, '/error/message': filledString }

/** The code of an error of a run that failed at the provider (section 7). */
export const AT_PROVIDER = { '/error/code': oneOf(PROVIDER_FAILURE) }

/** Judges an output (section 2.5) that stands at a pointer. */
export function hasOutput(shown: Shown, pointer: string): Finding {
  const items = itemsOf(at(shown.json, `${pointer}/items`)).map((_, index) => `${pointer}/items/${index}`)
  return every([...holds(shown, OUTPUT, pointer), ...items.flatMap((item) => holds(shown, ITEM, item))])
}

/** An output as a body shows it, without its addresses: each response may sign them again. */
export function outputShown({ json }: Shown, pointer: string): string {
  const types = itemsOf(at(json, `${pointer}/items`)).map((item) => show(at(item, '/type')))
  return `type ${show(at(json, `${pointer}/type`))} and ${types.length} items (${types.join(', ')})`
}

export function hasStatus(response: ApiResponse, ...allowed: readonly number[]): Finding {
  const detail = `${originOf(response.exchange)}: status ${response.status}; expected ${allowed.join(' or ')}`
  return judge(allowed.includes(response.status), detail, response)
}

/** A status with its error code, as an observation. */
export function rejectionOf({ status, json }: Pick<ApiResponse, 'status' | 'json'>) {
  const code = at(json, '/error/code')
  return { status, code: typeof code === 'string' ? code : null }
}

export function rejectionText(response: ApiResponse): string {
  const { status, code } = rejectionOf(response)
  return code === null ? `status ${status}` : `status ${status} with the code ${code}`
}

/** ISO 8601 has an extended form (`2026-01-31T09:30:00Z`) and a basic one (`20260131T093000Z`). */
const UTC_TIME = /^(\d{4})(-?)(\d\d)\2(\d\d)T(\d\d):?(\d\d)(:?\d\d([.,]\d+)?)?(Z|[+-]00(:?00)?)$/

function isUtcTime(value: unknown): boolean {
  const [, year, , month, day, hours, minutes] = UTC_TIME.exec(String(value)) ?? []
  return !Number.isNaN(Date.parse(`${year}-${month}-${day}T${hours}:${minutes}Z`))
}
