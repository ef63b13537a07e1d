import type { InputProperty } from 'modelrun'
import { closestName } from '../terminal/closest-name.ts'
import { namedFlag, type Parameter } from './parameter.ts'
import { typesText } from './parse-value.ts'

/** An input of a run. It has no prototype: a parameter may have any name. */
export type RunInput = Record<string, unknown>

/**
 * Everything in an input that the schema of the model does not take, in words of the command line. The client checks again;
 * here the price is not yet asked for.
 */
export function inputProblems(parameters: readonly Parameter[], input: RunInput): string[] {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const missing = parameters.filter(
    ({ name, isRequired, property }) => isRequired && input[name] === undefined && property.default === undefined,
  )
  const unknown = Object.keys(input).filter((name) => !known.has(name))
  return [
    ...missing.map((parameter) => `${namedFlag(parameter)} is missing: the model needs it.`),
    ...unknown.map((name) => unknownText(name, [...known.keys()])),
    ...parameters.flatMap((parameter) => {
      const value = input[parameter.name]
      const problem = value === undefined ? undefined : valueProblem(parameter, value)
      return problem === undefined ? [] : [`${namedFlag(parameter)} ${problem}. It got ${JSON.stringify(value)}.`]
    }),
  ]
}

function unknownText(name: string, names: readonly string[]): string {
  const closest = closestName(name, names)
  return `The model has no parameter ${JSON.stringify(name)}. ${closest === undefined ? `It takes ${names.join(', ')}.` : `Did you mean ${closest}?`}`
}

function valueProblem({ types, property }: Parameter, value: unknown): string | undefined {
  if (types.length > 0 && !types.some((type) => hasType(value, type))) return `must be ${typesText(types)}`
  return rangeProblem(property, value)
}

function rangeProblem({ enum: allowed, minimum, maximum }: InputProperty, value: unknown): string | undefined {
  if (allowed !== undefined && typeof value !== 'object' && !allowed.includes(value)) {
    return `must be one of ${allowed.map(String).join(', ')}`
  }
  if (typeof value !== 'number') return undefined
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`
  return undefined
}

const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  array: Array.isArray,
  null: (value) => value === null,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** A type that this version does not know is left to the service. */
function hasType(value: unknown, type: string): boolean {
  return CHECKS[type]?.(value) ?? true
}
