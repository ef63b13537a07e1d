import { type Check, ConfigurationError, describeIssues, jsonPointer, memberOf, readJson } from '@modelrun/kit'
import * as z from 'zod/mini'

/** The result of checking a value by a schema; the message is a sentence for people. */
export type ShapeCheck<Value> = { ok: true; value: Value } | { ok: false; message: string }

const MAX_PROBLEMS = 5

const NOUNS: Readonly<Record<string, string>> = {
  function: 'a function',
  array: 'an array',
  boolean: 'a boolean',
  int: 'an integer',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
}

/** Checks an untrusted value by a schema, and says where it is wrong, as JSON pointers. */
export function parseShape<Value>(schema: z.ZodMiniType<Value>, value: unknown): ShapeCheck<Value> {
  const result = z.safeParse(schema, value)
  if (result.success) return { ok: true, value: result.data }
  const sentences = result.error.issues.slice(0, MAX_PROBLEMS).map((issue) => describe(issue, value))
  return { ok: false, message: sentences.join(' ') }
}

export function fits(schema: z.ZodMiniType): Check {
  return (value) => {
    const checked = value === undefined ? undefined : parseShape(schema, value)
    return checked === undefined || checked.ok ? undefined : shapeProblem(checked.message)
  }
}

export function invalidMessage(part: string, message: string): string {
  return `Invalid ${part}: ${message.replace(/^It /, 'it ')}`
}

/** The message about a shape as the end of a sentence that starts with the name of the option. */
export function shapeProblem(message: string): string {
  return message.startsWith('It ') ? message.slice('It '.length) : `is wrong: ${message}`
}

function describe(issue: z.core.$ZodIssue, root: unknown): string {
  const pointer = jsonPointer(issue.path)
  const actual = issue.path.reduce<unknown>(memberOf, root)
  return `${pointer === '' ? 'It' : pointer} ${problem(issue, actual)}.`
}

function problem(issue: z.core.$ZodIssue, actual: unknown): string {
  switch (issue.code) {
    case 'invalid_type': {
      const noun = NOUNS[issue.expected] ?? `of type ${issue.expected}`
      return actual === undefined ? `is missing; it must be ${noun}` : `must be ${noun}, not ${typeNoun(actual)}`
    }
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'too_small':
      return `must be ${issue.minimum} or more`
    case 'too_big':
      return `must be ${issue.maximum} or less`
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an http or https URL' : `must be a valid ${issue.format}`
    case 'unrecognized_keys':
      return `has members that do not exist: ${listKeys(issue.keys)}`
    default:
      return `is not valid (${issue.message})`
  }
}

// A body of a megabyte holds so many that the list would be one, too.
function listKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, MAX_PROBLEMS).map((key) => JSON.stringify(key.slice(0, 60)))
  return [...shown, ...(keys.length > MAX_PROBLEMS ? ['and others'] : [])].join(', ')
}

function typeNoun(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number' && !Number.isInteger(value)) return `the number ${value}`
  return NOUNS[typeof value] ?? typeof value
}

/**
 * So many levels of objects and arrays a body may have. `JSON.parse` takes any number, `JSON.stringify` and other functions
 * that call themselves overflow the stack at some thousand, so what is deeper is rejected where it comes in.
 */
export const MAX_NESTING = 64

/** Whether a value has more levels of objects and arrays than that: `{}` has one. A cycle has. */
export function nestsDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => nestsDeeperThan(levels - 1, member))
}

/** What is wrong with it, as the rest of a sentence. */
export function nestingProblem(levels = MAX_NESTING): string {
  return `nests deeper than ${levels} levels of objects and arrays, the most that is read`
}

/**
 * A copy of a value as JSON carries it: what a test passes in may not be JSON, and may change later.
 *
 * @param levels so many levels of objects and arrays it may have
 * @throws ConfigurationError for a cycle, a deeper value, and one with a function, a file or NaN, which a copy would not have
 */
export function jsonCopy<Value>(value: Value, levels = MAX_NESTING): Value {
  if (nestsDeeperThan(levels, value)) throw new ConfigurationError({ message: `The value ${nestingProblem(levels)}.` })
  const { json, issues } = readJson(value)
  if (issues.length === 0) return json as Value // the copy has the same members
  throw new ConfigurationError({ message: `The value is not JSON: ${describeIssues(issues, 'it')}` })
}

/** Checks what a test passes in, and copies it. Names are checked first: a copy would not have the members that are not JSON. */
export function parseCopy<Value>(schema: z.ZodMiniType<Value>, value: unknown): ShapeCheck<Value> {
  const checked = parseShape(schema, value)
  return checked.ok ? { ok: true, value: jsonCopy(checked.value) } : checked
}
