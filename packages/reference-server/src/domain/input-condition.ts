import { ConfigurationError, describeIssues, hasMethods, isRecord, memberOf, readJson } from '@modelrun/kit'
import * as z from 'zod/mini'

type Input = Readonly<Record<string, unknown>>

/** Which runs are meant, by their input. */
export interface InputCondition {
  /**
   * Members that the input must have: objects in it may have more, everything else must be equal. In this process also a
   * function that returns whether the input is meant.
   */
  input?: Input | ((input: Input) => boolean)
}

const anyInput: z.ZodMiniType<NonNullable<InputCondition['input']>> = z.record(z.string(), z.unknown())

export const inputConditionSchema = z.strictObject({
  input: z.exactOptional(anyInput),
}) satisfies z.ZodMiniType<InputCondition>

/**
 * Whether the input of a run is meant.
 *
 * @param input `undefined` for a request that is about no run
 * @param owner what has the condition, for errors
 * @throws ConfigurationError when a function throws, or returns a promise
 */
export function fitsInput({ input: wanted }: InputCondition, input: unknown, owner: string): boolean {
  if (wanted === undefined) return true
  if (!isRecord(input)) return false
  return typeof wanted === 'function' ? asksFunction(wanted, input, owner) : includes(input, wanted)
}

function asksFunction(isMeant: (input: Input) => unknown, input: Input, owner: string): boolean {
  const wrong = (problem: string, cause?: unknown) =>
    new ConfigurationError({ message: `The function \`when.input\` of ${owner} ${problem}.`, cause })
  let returned: unknown
  try {
    returned = isMeant(input)
  } catch (error) {
    throw wrong(`threw ${String(error)}`, error)
  }
  if (!hasMethods(returned, 'then')) return Boolean(returned)
  Promise.resolve(returned).catch(() => {})
  throw wrong('returned a promise. It must return true or false')
}

function includes(given: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(given) && given.length === wanted.length && wanted.every((item, at) => includes(given[at], item))
    )
  }
  if (!isRecord(wanted)) return given === wanted
  return isRecord(given) && Object.entries(wanted).every(([name, value]) => includes(memberOf(given, name), value))
}

/**
 * Reads `when.input`: a function is taken out, and `putBack` returns it to the checked copy.
 *
 * @throws ConfigurationError for another value that is not JSON: a pattern without it would fit other runs
 */
export function readInputCondition(value: unknown): {
  json: unknown
  putBack: <Checked extends object>(checked: Checked) => Checked
} {
  const when = memberOf(value, 'when')
  if (!isRecord(value) || !isRecord(when) || !('input' in when)) return { json: value, putBack: (checked) => checked }
  const { input } = when
  if (typeof input !== 'function') {
    const { issues } = readJson({ input }, { rejectsUndefined: true })
    if (issues.length === 0) return { json: value, putBack: (checked) => checked }
    throw new ConfigurationError({ message: `\`when\` is not JSON: ${describeIssues(issues, 'it')}` })
  }
  return {
    json: { ...value, when: { ...when, input: {} } },
    putBack: (checked) => ({ ...checked, when: { ...when, input } }),
  }
}
