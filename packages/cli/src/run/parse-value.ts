import { isRecord } from '@modelrun/kit'
import type { InputProperty } from 'modelrun'
import { findInputIssues } from 'modelrun/models'
import { UsageError } from '../errors/usage-error.ts'
import { namedFlag, type Parameter } from './parameter.ts'

/** A value that none of the types takes. */
const NONE = Symbol('none')

/** Makes a value of the text of a flag, by the types of the parameter. @throws UsageError */
export function parseValue(parameter: Parameter, text: string): unknown {
  const { types, property } = parameter
  const allowed = allowedValue(property, text)
  if (allowed !== undefined) return allowed
  if (types.length === 0) return untypedValue(text)
  for (const type of types.toSorted(textLast)) {
    const value = valueOfType(type, text)
    if (value !== NONE) return value
  }
  throw new UsageError(`${namedFlag(parameter)} must be ${typesText(types)}. It got "${text}".`)
}

/** Every text is a string: the other types come first. */
function textLast(a: string, b: string): number {
  return Number(a === 'string') - Number(b === 'string')
}

/** The value of the parameter's `enum` that a text names. */
export function allowedValue(property: InputProperty, text: string): unknown {
  return property.enum?.find((value) => String(value) === text && fits(property, value))
}

function fits(property: InputProperty, value: unknown): boolean {
  return findInputIssues({ type: 'object', properties: { value: property }, required: [] }, { value }).length === 0
}

function untypedValue(text: string): unknown {
  const value = tryJson(text)
  return value === NONE ? text : value
}

function valueOfType(type: string, text: string): unknown {
  switch (type) {
    case 'string':
      return text
    case 'integer':
    case 'number':
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : NONE
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : NONE
    case 'null':
      return text === 'null' ? null : NONE
    case 'array':
      return jsonIf(text, Array.isArray)
    case 'object':
      return jsonIf(text, isRecord)
    default:
      return untypedValue(text)
  }
}

function jsonIf(text: string, isWanted: (value: unknown) => boolean): unknown {
  const value = tryJson(text)
  return value !== NONE && isWanted(value) ? value : NONE
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return NONE
  }
}

const TYPE_TEXTS: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'a JSON array',
  object: 'a JSON object',
}

/** The types of a parameter in words. */
function typesText(types: readonly string[]): string {
  return types.map((type) => TYPE_TEXTS[type] ?? type).join(' or ')
}
