import { closestName } from './closest-name.ts'
import { ConfigurationError, ModelRunError } from './model-run-error.ts'
import { isPlainData, showValue } from './values.ts'

/** Checks a value. Returns "must be …, not …" when the value is wrong. */
export interface Check {
  (value: unknown): string | undefined
  /** Copies a right value that the caller may change later. */
  readonly copy?: (value: unknown) => unknown
}

/** A check for each member of an object: a new member does not compile without one. */
export type Checks<Members> = { readonly [Name in keyof Members]-?: Check }

type Test = (value: unknown) => boolean

/** A check of a required value. */
export function needs(be: string, isRight: Test): Check {
  return (value) => (isRight(value) ? undefined : `must be ${be}, not ${showValue(value)}`)
}

/** A check of an optional value. */
export function must(be: string, isRight: Test): Check {
  return needs(be, (value) => value === undefined || isRight(value))
}

/** A check whose message does not have the value, because it may be a key of production. */
export function hidden(be: string, isRight: Test): Check {
  return (value) => (value === undefined || isRight(value) ? undefined : `must be ${be}`)
}

export function oneOf(...texts: readonly string[]): Check {
  return must(`'${texts.join("' or '")}'`, (value) => texts.includes(value as string))
}

/** One of many names. The message has the one that was probably meant. */
export function oneNameOf(names: readonly string[]): Check {
  return (value) =>
    value === undefined || names.includes(value as string) ? undefined : unknownAmong(names, String(value))
}

/** An object, or a function, with some methods. */
export function having(what: string, ...methods: readonly string[]): Check {
  return must(`${what} with ${methods.join(', ')}`, (value) => hasMethods(value, ...methods))
}

function number(what: string, isRight: (value: number) => boolean): Check {
  return must(what, (value) => typeof value === 'number' && isRight(value))
}

/** For values that are checked where they are used. */
export const unchecked: Check = () => undefined

const isFunction: Test = (value) => typeof value === 'function'
export const isText: Test = (value) => typeof value === 'string' && value !== ''

export function hasMethods(value: unknown, ...names: readonly (string | symbol)[]): boolean {
  return Object(value) === value && names.every((name) => isFunction(Reflect.get(Object(value), name)))
}

export const text = /* @__PURE__ */ must('a string', (value) => typeof value === 'string')
export const flag = /* @__PURE__ */ must('true or false', (value) => typeof value === 'boolean')
export const callback = /* @__PURE__ */ must('a function', isFunction)
/** For durations and limits; `Infinity` means no limit. */
export const positive = /* @__PURE__ */ number('a number above 0', (value) => value > 0)
export const notNegative = /* @__PURE__ */ number('a number of at least 0', (value) => value >= 0)
export const count = /* @__PURE__ */ number(
  'a whole number of at least 0',
  (value) => Number.isInteger(value) && value >= 0,
)
export const atLeastOne = /* @__PURE__ */ number(
  'a whole number of at least 1',
  (value) => Number.isInteger(value) && value >= 1,
)
export const httpUrl = /* @__PURE__ */ must(
  'a string that starts with https:// or http://',
  (value) => typeof value === 'string' && /^https?:\/\//i.test(value),
)
export const signal = /* @__PURE__ */ must('an AbortSignal, like `controller.signal`', (value) =>
  hasMethods(value, 'addEventListener', 'removeEventListener'),
)
export const clock = /* @__PURE__ */ having('a clock', 'now', 'setTimeout', 'clearTimeout')

/**
 * Checks what a caller passed as options. Called once, where the user's call comes in; `place` is that call, as the
 * user writes it.
 *
 * @returns A copy without the members that are undefined, whose JSON is a copy too
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
      const check = names.includes(name) ? checks[name as keyof Options] : unknownMember(names, name)
      report(name, check(value))
      if (value !== undefined) copy[name] = check.copy ? check.copy(value) : value
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

/** Rejects an argument or option. `problem` is the rest of the sentence, like "must be …, not …". @throws ConfigurationError */
export function rejectArgument(place: string, name: string, problem: string): never {
  // It always throws.
  return readArguments(place, (report) => report(name, problem)) as never
}

/** Throws when there is a problem. `name`: the argument or option that has it. */
type Report = (name: string, problem: string | undefined) => void

/** Reads arguments, which may be proxies or have getters that throw. @throws ConfigurationError */
export function readArguments<T>(place: string, read: (report: Report) => T): T {
  const fail = (message: string, cause?: unknown) => {
    const end = place.startsWith('client.') ? ' Nothing was sent.' : ''
    const error = new ConfigurationError({ message: `${message}${/[.?]$/.test(message) ? '' : '.'}${end}`, cause })
    // The engine records ten frames. The caller's line must be among them.
    Error.captureStackTrace?.(error, readArguments)
    return error
  }
  try {
    return read((name, problem) => {
      if (problem !== undefined) throw fail(`\`${name}\` of \`${place}\` ${problem}`)
    })
  } catch (error) {
    throw error instanceof ModelRunError ? error : fail(`An argument of \`${place}\` cannot be read`, error)
  }
}

function unknownMember(names: readonly string[], name: string): Check {
  return (value) => (value === undefined ? undefined : unknownAmong(names, name))
}

function unknownAmong(names: readonly string[], name: string): string {
  const meant = meantName(name, names)
  return `is unknown (${meant === undefined ? `it takes ${names.join(', ')}` : `did you mean \`${meant}\`?`})`
}

/** The name of an option in the service's API or in other clients, in lower case, where it differs a lot from ours. */
const SYNONYMS: Readonly<Record<string, string>> = {
  signal: 'abortsignal',
  mode: 'sync',
  onStatus: 'onprogress',
  onSucceeded: 'onsuccess',
  onFailed: 'onerror',
  publicUrl: 'baseurl',
}

function meantName(name: string, names: readonly string[]): string | undefined {
  const closest = closestName(name, names)
  if (closest !== undefined) return closest
  const synonym = names.find((candidate) => SYNONYMS[candidate] === name.toLowerCase())
  // The same as `sync: false` in the service's API.
  return synonym === 'mode' ? "mode: 'async'" : synonym
}
