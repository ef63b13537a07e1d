import type { InputProperty } from '@modelrun/contract'
import { isRecord } from '@modelrun/kit'
import { describeValue, shorten } from './describe-value.ts'

type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'

const TYPES: ReadonlyMap<unknown, { noun: string; matches: (value: unknown) => boolean }> = new Map<
  TypeName,
  { noun: string; matches: (value: unknown) => boolean }
>([
  ['string', { noun: 'a string', matches: (value) => typeof value === 'string' }],
  ['integer', { noun: 'an integer', matches: (value) => Number.isInteger(value) }],
  ['number', { noun: 'a number', matches: (value) => Number.isFinite(value) }],
  ['boolean', { noun: 'a boolean', matches: (value) => typeof value === 'boolean' }],
  ['array', { noun: 'an array', matches: (value) => Array.isArray(value) }],
  ['object', { noun: 'an object', matches: isRecord }],
  ['null', { noun: 'null', matches: (value) => value === null }],
])

/**
 * Checks one value against the description of its parameter (section 2.3).
 *
 * @returns what is wrong, as the rest of a sentence that starts with the parameter's name, or `undefined`
 */
export function checkValue(property: InputProperty, value: unknown): string | undefined {
  return checkType(property.type, value) ?? checkEnum(property.enum, value) ?? checkRange(property, value)
}

/** Noun of a type for a sentence, such as `an integer`; `undefined` for a type outside section 2.3. */
export function typeNoun(type: unknown): string | undefined {
  return expectedTypes(type)
    ?.map(({ noun }) => noun)
    .join(' or ')
}

/** The types that a value may have; `undefined` when one of them is unknown, so that any value may fit. */
function expectedTypes(type: unknown): { noun: string; matches: (value: unknown) => boolean }[] | undefined {
  const types = [type].flat().map((one) => TYPES.get(one))
  const known = types.filter((one) => one !== undefined)
  return known.length === types.length && known.length > 0 ? known : undefined
}

function checkType(type: unknown, value: unknown): string | undefined {
  // JSON has no such numbers; a caller in the same process could still pass one.
  if (typeof value === 'number' && !Number.isFinite(value)) return `must be a finite number, got ${value}`
  const expected = expectedTypes(type)
  if (expected === undefined || expected.some(({ matches }) => matches(value))) return undefined
  return `must be ${typeNoun(type)}, got ${withType(value)}${quotesHint(type, value)}`
}

function withType(value: unknown): string {
  const shown = describeValue(value)
  return value === null || typeof value === 'object' ? shown : `the ${typeof value} ${shown}`
}

function quotesHint(type: unknown, value: unknown): string {
  if (typeof value !== 'string') return ''
  const text = value.trim()
  const isNumber = (type === 'integer' || type === 'number') && text !== '' && Number.isFinite(Number(text))
  const isBoolean = type === 'boolean' && (text === 'true' || text === 'false')
  return isNumber || isBoolean ? `; send ${shorten(text)} without quotes` : ''
}

function checkEnum(allowed: unknown, value: unknown): string | undefined {
  if (!Array.isArray(allowed) || allowed.some((candidate) => isSameJson(candidate, value))) return undefined
  return `must be one of ${allowed.map(describeValue).join(', ')}, got ${describeValue(value)}`
}

function checkRange({ minimum, maximum }: InputProperty, value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined
  const hasMinimum = typeof minimum === 'number'
  const hasMaximum = typeof maximum === 'number'
  if (!(hasMinimum && value < minimum) && !(hasMaximum && value > maximum)) return undefined
  if (hasMinimum && hasMaximum) return `must be between ${minimum} and ${maximum}, got ${value}`
  return `must be ${hasMinimum ? `at least ${minimum}` : `at most ${maximum}`}, got ${value}`
}

function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object') return false
  try {
    return JSON.stringify(left) === JSON.stringify(right)
  } catch {
    return false // a cycle or a bigint: not JSON, so not an allowed value
  }
}
