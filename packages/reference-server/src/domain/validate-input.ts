import type { InputProperty, InputSchema } from '@modelrun/contract'
import { closestName, isRecord, jsonPointer } from '@modelrun/kit'

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
 * `minimum`, `maximum`, `default` and `required`, and `additionalProperties: true` of JSON Schema; other members of a
 * description are ignored. The URL of a source file must be one.
 *
 * Reports every problem, parameters of the schema first. An unknown parameter is a problem. A parameter that is
 * `undefined` counts as left out. A type that is unknown allows every value.
 */
export function validateInput(
  schema: InputSchema & { additionalProperties?: unknown },
  input: Record<string, unknown>,
): InputCheck {
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
  if (schema.additionalProperties === true) entries.push(...others)
  else problems.push(...unknownProblems(parameters, others))
  // `fromEntries` defines members, so a parameter named `__proto__` stays data.
  return problems.length === 0 ? { ok: true, input: Object.fromEntries(entries) } : { ok: false, problems }
}

interface Parameter {
  name: string
  property: InputProperty
  isRequired: boolean
}

function readParameters({ properties, required = [] }: InputSchema): Map<string, Parameter> {
  const known = new Map(Object.entries(properties))
  const names = new Set([...known.keys(), ...required])
  return new Map(
    [...names].map((name) => [name, { name, property: known.get(name) ?? {}, isRequired: required.includes(name) }]),
  )
}

function parameterValue({ name, property }: Parameter, input: Record<string, unknown>): unknown {
  const given = Object.hasOwn(input, name) ? input[name] : undefined
  return given === undefined ? property.default : given
}

function missingProblem({ name, property, isRequired }: Parameter): InputProblem | undefined {
  if (!isRequired) return undefined
  const noun = typeNoun(property.type)
  const wanted = noun === undefined ? '' : `; send ${noun}`
  const description = property.description === undefined ? '' : ` ${property.description}`
  return { pointer: jsonPointer([name]), message: `${name} is required${wanted}.${description}` }
}

function valueProblem({ name, property }: Parameter, value: unknown): InputProblem | undefined {
  const wrong =
    checkType(property.type, value) ??
    checkEnum(property.enum, value) ??
    checkRange(property, value) ??
    checkSourceUrl(name, property, value)
  return wrong === undefined ? undefined : { pointer: jsonPointer([name]), message: `${name} ${wrong}.` }
}

function unknownProblems(
  parameters: ReadonlyMap<string, Parameter>,
  others: readonly [name: string, value: unknown][],
): InputProblem[] {
  const known = [...parameters.keys()]
  return others.map(([name]) => {
    const closest = closestName(name, known)
    const advice = closest === undefined ? listParameters(known) : `Did you mean ${closest}?`
    return { pointer: jsonPointer([name]), message: `${shorten(name)} is not a parameter of this model. ${advice}` }
  })
}

function listParameters(known: readonly string[]): string {
  return known.length === 0 ? 'It takes no parameters.' : `It takes: ${known.join(', ')}.`
}

interface Type {
  noun: string
  matches(value: unknown): boolean
}

const TYPES: ReadonlyMap<unknown, Type> = new Map([
  ['string', { noun: 'a string', matches: (value) => typeof value === 'string' }],
  ['integer', { noun: 'an integer', matches: (value) => Number.isInteger(value) }],
  ['number', { noun: 'a number', matches: (value) => Number.isFinite(value) }],
  ['boolean', { noun: 'a boolean', matches: (value) => typeof value === 'boolean' }],
  ['array', { noun: 'an array', matches: (value) => Array.isArray(value) }],
  ['object', { noun: 'an object', matches: isRecord }],
  ['null', { noun: 'null', matches: (value) => value === null }],
] satisfies [string, Type][])

/** Noun of a type for a sentence, such as `an integer`; `undefined` for a type outside section 2.3. */
function typeNoun(type: unknown): string | undefined {
  return expectedTypes(type)
    ?.map(({ noun }) => noun)
    .join(' or ')
}

/** The types that a value may have; `undefined` when one of them is unknown, so that any value may fit. */
function expectedTypes(type: unknown): Type[] | undefined {
  const types = [type].flat().map((one) => TYPES.get(one))
  const known = types.filter((one) => one !== undefined)
  return known.length === types.length && known.length > 0 ? known : undefined
}

function checkType(type: unknown, value: unknown): string | undefined {
  // JSON has no such numbers; a caller in the same process could still pass one.
  if (typeof value === 'number' && !Number.isFinite(value)) return `must be a finite number, got ${value}`
  const expected = expectedTypes(type)
  if (expected === undefined || expected.some(({ matches }) => matches(value))) return undefined
  return `must be ${typeNoun(type)}, got ${withType(value)}`
}

function withType(value: unknown): string {
  const shown = describeValue(value)
  return value === null || typeof value === 'object' ? shown : `the ${typeof value} ${shown}`
}

function checkEnum(allowed: unknown, value: unknown): string | undefined {
  if (!Array.isArray(allowed) || allowed.includes(value)) return undefined
  return `must be one of ${allowed.map(describeValue).join(', ')}, got ${describeValue(value)}`
}

function checkRange({ minimum, maximum }: InputProperty, value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}, got ${value}`
  return maximum !== undefined && value > maximum ? `must be at most ${maximum}, got ${value}` : undefined
}

const MAX_SHOWN = 60

/** A JSON value for an error message, shortened: `"high"`, `2.5`, `null`, `an array`, `an object`. Never throws. */
function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'string' ? shorten(JSON.stringify(value)) : shorten(String(value))
}

/** Text cut to a length that fits into a sentence. */
function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** A data URI in base64, with a media type of RFC 6838. */
const DATA_URI = /^data:[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[^;,]+)*;base64,[A-Za-z0-9+/]+={0,2}$/i

/**
 * Checks the value of a parameter that holds the URL of a source file, as `image_url` of section 2.3 does: a string
 * parameter named `url`, or whose name ends in `_url`.
 *
 * @returns what is wrong, as the rest of a sentence that starts with the parameter's name, or `undefined`
 */
export function checkSourceUrl(name: string, property: InputProperty, value: unknown): string | undefined {
  const isSource = /(^|_)url$/.test(name) && property.type === 'string' && property.enum === undefined
  if (!isSource || typeof value !== 'string' || value === property.default) return undefined
  if (isDataUri(value) || (/^https?:\/\//i.test(value) && URL.canParse(value))) return undefined
  return `must be an http or https URL, or a data URI such as data:image/png;base64,iVBORw0KGgo=, got ${describeValue(value)}`
}

function isDataUri(value: string): boolean {
  return DATA_URI.test(value) && (value.length - value.indexOf(',') - 1) % 4 === 0
}
