import type { InputProperty } from '@modelrun/contract'
import { describeValue } from './describe-value.ts'

/** A media type of RFC 6838, and what may follow it in a data URI. */
const BASE64_HEAD = /^data:[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[^;,]+)*;base64$/i

/**
 * Checks the value of a parameter that holds the URL of a source file, as `image_url` of section 2.3 does: a string
 * parameter named `url`, or whose name ends in `_url`.
 *
 * @returns what is wrong, as the rest of a sentence that starts with the parameter's name, or `undefined`
 */
export function checkSourceUrl(name: string, property: InputProperty, value: unknown): string | undefined {
  const isSource = /(^|_)url$/.test(name) && property.type === 'string' && property.enum === undefined
  if (!isSource || typeof value !== 'string' || value === property.default || isWebUrl(value)) return undefined
  const wrong = /^data:/i.test(value) ? dataUriProblem(value) : ''
  if (wrong === undefined) return undefined
  return `must be an http or https URL, or a data URI such as data:image/png;base64,iVBORw0KGgo=, got ${describeValue(value)}${wrong}`
}

function isWebUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}

function dataUriProblem(value: string): string | undefined {
  const comma = value.indexOf(',')
  if (!BASE64_HEAD.test(value.slice(0, comma))) return '; it must have a media type and ;base64 before the comma'
  const data = value.slice(comma + 1)
  if (data === '') return '; it holds no data'
  return data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? undefined : '; its data is not base64'
}
