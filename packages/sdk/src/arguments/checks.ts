import { closestName } from '@modelrun/kit'
import { ConfigurationError } from '../errors/local-errors.ts'
import { ModelRunError } from '../errors/model-run-error.ts'
import { readHostRules } from '../hosts/host-rules.ts'
import { readFetchOptions, readHeaders } from '../http/fetch.ts'

type Test = (value: unknown) => boolean

/** A check of a required value. */
export function needs(be: string, isRight: Test): Check {
  return (value) => (isRight(value) ? undefined : `must be ${be}, not ${showValue(value)}`)
}

/** A check of an optional value. */
export function must(be: string, isRight: Test): Check {
  return needs(be, (value) => value === undefined || isRight(value))
}

/** One of a few texts. */
export function oneOf(...texts: readonly string[]): Check {
  return must(`'${texts.join("' or '")}'`, (value) => texts.includes(value as string))
}

/** An object, or a function, with some methods. */
export function having(what: string, ...methods: readonly string[]): Check {
  return must(`${what} with ${methods.join(', ')}`, (value) => hasMethods(value, ...methods))
}

function number(range: string, isInRange: (value: number) => boolean): Check {
  return must(`a number ${range}`, (value) => typeof value === 'number' && isInRange(value))
}

/** For values that are checked where they are used. */
export const unchecked: Check = () => undefined

const isString: Test = (value) => typeof value === 'string'

const isFunction: Test = (value) => typeof value === 'function'

export const isText: Test = (value) => typeof value === 'string' && value !== ''

/** True for what `for await` takes, but not for a string: its letters would be the members. */
const isList: Test = (value) => hasMethods(value, Symbol.iterator) || hasMethods(value, Symbol.asyncIterator)

export function hasMethods(value: unknown, ...names: readonly (string | symbol)[]): boolean {
  return Object(value) === value && names.every((name) => isFunction(Reflect.get(Object(value), name)))
}

export const text = /* @__PURE__ */ must('a string', isString)
export const flag = /* @__PURE__ */ must('true or false', (value) => typeof value === 'boolean')
export const callback = /* @__PURE__ */ must('a function', isFunction)
/** For durations and limits; `Infinity` means no limit. */
export const positive = /* @__PURE__ */ number('above 0', (value) => value > 0)
export const notNegative = /* @__PURE__ */ number('of at least 0', (value) => value >= 0)
export const count = /* @__PURE__ */ must(
  'a whole number of at least 0',
  (value) => Number.isInteger(value) && Number(value) >= 0,
)
export const httpUrl = /* @__PURE__ */ must(
  'a string that starts with https:// or http://',
  (value) => typeof value === 'string' && /^https?:\/\//i.test(value),
)
export const signal = /* @__PURE__ */ must('an AbortSignal, like `controller.signal`', (value) =>
  hasMethods(value, 'addEventListener', 'removeEventListener'),
)
/** A check by a function that throws. */
function readBy(read: (value: never) => unknown): Check {
  return (value) => {
    // These functions throw errors of their own.
    if (value !== undefined) read(value as never)
    return undefined
  }
}

export const fetchOptions = /* @__PURE__ */ readBy(readFetchOptions)
export const allowedHosts = /* @__PURE__ */ readBy(readHostRules)
/** A list of pairs may be an iterator, which can be read only once. */
export const headers = /* @__PURE__ */ readBy((value) => isList(value) || readHeaders(value))
export const clock = /* @__PURE__ */ having('a clock', 'now', 'setTimeout', 'clearTimeout')

/** For a `Secret`. The message does not contain its value. */
export const secret: Check = (value) =>
  value === undefined || isString(value) || (isPlainData(value) && Object.values(value).every(isString))
    ? undefined
    : 'must be a string, or an object of strings by their ids'

/** The checks of the arguments of calls, by the argument's name. */
const ARGUMENTS = /* @__PURE__ */ (() => {
  const id = needs('an id', isText)
  // A string is rejected: iteration would yield its letters.
  const list = needs('a list, like [one, two]', isList)
  return { model: id, id, inputs: list, jobs: list } satisfies Record<string, Check>
})()

/** Checks the arguments of a call except its options. @throws ConfigurationError */
export function checkArguments(place: string, given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown }): void {
  checkEach(place, given, ARGUMENTS)
}

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

/** Throws when there is a problem. `name`: the argument or option that has it. */
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
    throw error instanceof ModelRunError ? error : fail(`An argument of \`${place}\` cannot be read`, error)
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

const LONGEST_TEXT = 60

/** A value as error messages show it. A long text is cut. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LONGEST_TEXT))
  if (Object(value) !== value) return String(value)
  const kind = kindOf(value).replace(/^(Object|Array)$/, (name) => name.toLowerCase())
  return `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind}`
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

/** The option that was probably meant by an unknown name. */
function meantName(name: string, names: readonly string[]): string | undefined {
  const closest = closestName(name, names)
  if (closest !== undefined) return closest
  const synonym = names.find((candidate) => SYNONYMS[candidate] === name.toLowerCase())
  // The same as `sync: false` in the service's API.
  return synonym === 'mode' ? "mode: 'async'" : synonym
}

/** Name of a value's kind for a message: `null`, `number`, `Buffer`, `File`, `Promise`. Also right for other realms. */
export function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  // Node's Buffer is a Uint8Array by its tag.
  return tag === 'Uint8Array' && value.constructor?.name === 'Buffer' ? 'Buffer' : tag
}

/** Whether a value is a Blob or a File: of the platform, some of which have no tags, or of another, such as jsdom. */
export function isBlob(value: unknown): value is Blob {
  return value instanceof Blob || ['Blob', 'File'].includes(kindOf(value))
}

/** Whether a value is a buffer without a view. */
export function isArrayBuffer(value: unknown): value is ArrayBufferLike {
  return ['ArrayBuffer', 'SharedArrayBuffer'].includes(kindOf(value))
}

/** Whether a value has a method of this name. */
export function hasMethod(value: object, name: string): boolean {
  return typeof Reflect.get(value, name) === 'function'
}
