import type { InputProperty, InputSchema } from '@modelrun/contract'
import { closestName, isRecord, jsonPointer, showValue } from '@modelrun/kit'
import type { InputIssue } from '../errors/local-errors.ts'

/**
 * Finds everything in an input that does not fit the schema of a model (section 2.3), as `validateInput` does before a run.
 * Keywords of a schema that the section does not name are checked by the service only.
 *
 * @returns each problem with a JSON pointer to its parameter; none for an input that fits
 *
 * @example
 * const { input_schema } = await client.models.get('aurora-image')
 * for (const { pointer, message } of findInputIssues(input_schema, form)) showProblem(pointer, message)
 */
export function findInputIssues(
  { properties, required = [] }: InputSchema,
  input: Readonly<Record<string, unknown>>,
): InputIssue[] {
  // Some are required and not described.
  const names = [...new Set([...Object.keys(properties), ...required])]
  // A parameter with a default may be left out, required or not. A name that every object has is not given by that.
  const isGiven = (name: string) => Object.hasOwn(input, name) && input[name] !== undefined
  const missing = required.filter((name) => !isGiven(name) && properties[name]?.default === undefined)
  return [
    ...missing.map((name) => issue(name, 'the parameter is required')),
    ...Object.entries(input).flatMap(([name, value]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      const problem = property === undefined ? unknownParameter(name, names) : findProblem(property, value)
      return value === undefined || problem === undefined ? [] : [issue(name, problem)]
    }),
  ]
}

function issue(name: string, message: string): InputIssue {
  return { pointer: jsonPointer([name]), message }
}

function unknownParameter(name: string, names: readonly string[]): string | undefined {
  // A schema without parameters describes none of them.
  if (names.length === 0 || names.includes(name)) return undefined
  const closest = closestName(name, names)
  const hint = closest === undefined ? `the model takes ${names.join(', ')}` : `did you mean ${closest}?`
  return `no such parameter; ${hint}`
}

function findProblem({ type, enum: allowed, minimum, maximum }: InputProperty, value: unknown): string | undefined {
  const got = `not ${showValue(value)}`
  const types = [type ?? []].flat()
  if (types.length > 0 && !types.some((one) => hasType(value, one))) {
    return `must be of type ${types.join(' or ')}, ${got}`
  }
  if (allowed?.length && typeof value !== 'object' && !allowed.includes(value)) {
    return `must be one of ${allowed.map(showValue).join(', ')}, ${got}`
  }
  if (typeof value !== 'number') return undefined
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}, ${got}`
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}, ${got}`
  return undefined
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'number':
      return Number.isFinite(value)
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    case 'object':
      return isRecord(value)
    default:
      return true
  }
}
