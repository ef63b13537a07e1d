import type { InputProperty, InputSchema } from '@modelrun/contract'
import { closestName, jsonPointer } from '@modelrun/kit'
import { checkSourceUrl, checkValue, shorten, typeNoun } from './check-value.ts'

/** One thing that is wrong with the `input` of a run. */
interface InputProblem {
  /** JSON pointer (RFC 6901) into the input, such as `/num_images`. */
  pointer: string
  /** A sentence for people: what was got and what is allowed. */
  message: string
}

/** Outcome of checking an `input`. When `ok`, `input` has the defaults filled in and is a new object. */
export type InputCheck = { ok: true; input: Record<string, unknown> } | { ok: false; problems: InputProblem[] }

/**
 * Checks the `input` of a run against its model's `input_schema`, the dialect of section 2.3: `type`, `enum`,
 * `minimum`, `maximum`, `default` and `required`, and `additionalProperties: true` of JSON Schema; other members of a description are ignored. The URL of a source file
 * must be one.
 *
 * Reports every problem, parameters of the schema first. An unknown parameter is a problem. A parameter that is
 * `undefined` counts as left out. A schema with invalid parts (hand-written catalogs) never throws: what is not
 * understood allows everything.
 */
export function validateInput(schema: InputSchema, input: Record<string, unknown>): InputCheck {
  const parameters = readParameters(schema)
  const entries: [string, unknown][] = []
  const problems: InputProblem[] = []
  for (const parameter of parameters.values()) {
    const value = parameterValue(parameter, input)
    const problem = value === undefined ? missingProblem(parameter) : valueProblem(parameter, value)
    if (problem !== undefined) problems.push(problem)
    else if (value !== undefined) entries.push([parameter.name, value])
  }
  const others = Object.entries(input).filter(([name, value]) => value !== undefined && !parameters.has(name))
  if (takesMore(schema)) entries.push(...others)
  else problems.push(...unknownProblems(parameters, others))
  // `fromEntries` defines members, so a parameter named `__proto__` stays data.
  return problems.length === 0 ? { ok: true, input: Object.fromEntries(entries) } : { ok: false, problems }
}

/** A member of JSON Schema that section 2.3 does not name. */
function takesMore(schema: (InputSchema & { additionalProperties?: unknown }) | undefined): boolean {
  return schema?.additionalProperties === true
}

interface Parameter {
  name: string
  property: InputProperty
  isRequired: boolean
}

// A catalog written in JavaScript may not match the type, so everything is checked.
function readParameters(schema: InputSchema | undefined): Map<string, Parameter> {
  const required = new Set<string>(Array.isArray(schema?.required) ? schema.required.filter(isString) : [])
  const properties = new Map<string, InputProperty | null>(Object.entries(schema?.properties ?? {}))
  const names = new Set([...properties.keys(), ...required])
  return new Map(
    [...names].map((name) => [name, { name, property: properties.get(name) ?? {}, isRequired: required.has(name) }]),
  )
}

function parameterValue({ name, property }: Parameter, input: Record<string, unknown>): unknown {
  const given = Object.hasOwn(input, name) ? input[name] : undefined
  return given === undefined ? property.default : given
}

function missingProblem({ name, property, isRequired }: Parameter): InputProblem | undefined {
  if (!isRequired) return undefined
  const noun = typeNoun(property.type)
  const description = typeof property.description === 'string' ? ` ${property.description}` : ''
  const wanted = noun === undefined ? '' : `; send ${noun}`
  const message = `${name} is required${wanted}.${description}`
  return { pointer: jsonPointer([name]), message }
}

function valueProblem({ name, property }: Parameter, value: unknown): InputProblem | undefined {
  const wrong = checkValue(property, value) ?? checkSourceUrl(name, property, value)
  return wrong === undefined ? undefined : { pointer: jsonPointer([name]), message: `${name} ${wrong}.` }
}

function unknownProblems(
  parameters: ReadonlyMap<string, Parameter>,
  others: readonly [name: string, value: unknown][],
): InputProblem[] {
  const known = [...parameters.keys()]
  return others.map(([name]) => ({
    pointer: jsonPointer([name]),
    message: unknownMessage(name, known),
  }))
}

function unknownMessage(name: string, known: readonly string[]): string {
  const closest = closestName(name, known)
  const advice = closest === undefined ? listParameters(known) : `Did you mean ${closest}?`
  return `${shorten(name)} is not a parameter of this model. ${advice}`
}

function listParameters(known: readonly string[]): string {
  return known.length === 0 ? 'It takes no parameters.' : `It takes: ${known.join(', ')}.`
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}
