import { isModelRunError } from '../errors/guard.ts'
import { ConfigurationError } from '../errors/local-errors.ts'
import { kindOf } from '../value-kind.ts'
import { meantName } from './meant-name.ts'

/** Checks a value. Returns "must be …, not …" when the value is wrong. */
export type Check = (value: unknown) => string | undefined

/** A check for each member of an object: a new member does not compile without one. */
export type Checks<Members> = { readonly [Name in keyof Members]-?: Check }

/**
 * Checks what a caller passed as options. Called once, where the user's call comes in; `place` is that call, as the
 * user writes it.
 *
 * @returns A copy without the members that are undefined
 * @throws ConfigurationError
 */
export function readOptions<Options extends object>(place: string, options: Options, checks: Checks<Options>): Options {
  return readArguments(place, (report) => {
    const names = Object.keys(checks)
    // The wrong value is not printed, because it may be an API key.
    report('options', isPlainData(options) ? undefined : `must be an object, like { ${names[0]}: … }`)
    const copy: Record<string, unknown> = {}
    // Includes the known names, because a class may have them on its prototype.
    for (const name of new Set([...names, ...Object.keys(options)])) {
      const value: unknown = Reflect.get(options, name)
      const isKnown = names.includes(name)
      report(
        name,
        isKnown ? checks[name as keyof Options](value) : value === undefined ? value : unknownAmong(names, name),
      )
      if (value !== undefined) copy[name] = value
    }
    // The members of the options, and no others.
    return copy as Options
  })
}

/** Checks the arguments that are given by the names of their checks. @throws ConfigurationError */
export function checkEach(
  place: string,
  given: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
): void {
  readArguments(place, (report) => {
    for (const [name, value] of Object.entries(given)) report(name, checks[name]?.(value))
  })
}

/** Throws when there is a problem. `name`: what has it. */
type Report = (name: string, problem: string | undefined) => void

/** Reads arguments, which may be proxies or have getters that throw. @throws ConfigurationError */
export function readArguments<T>(place: string, read: (report: Report) => T): T {
  const fail = (problem: string, cause?: unknown) => {
    const end = place.startsWith('client.') ? ' Nothing was sent.' : ''
    const error = new ConfigurationError({ message: `${problem}.${end}`, cause })
    // The engine records ten frames. The caller's line must be among them.
    Error.captureStackTrace?.(error, readArguments)
    return error
  }
  try {
    return read((name, problem) => {
      if (problem !== undefined) throw fail(`\`${name}\` of \`${place}\` ${problem}`)
    })
  } catch (error) {
    throw isModelRunError(error) ? error : fail(`An argument of \`${place}\` cannot be read`, error)
  }
}

/** True for an object that holds values under names; false for one that is a value of its own, such as a Promise. */
export function isPlainData(value: unknown): value is object {
  return kindOf(value) === 'Object'
}

function unknownAmong(names: readonly string[], name: string): string {
  const meant = meantName(name, names)
  return `is unknown (${meant === undefined ? `it takes ${names.join(', ')}` : `did you mean \`${meant}\`?`})`
}
