import { readHostRules } from '../hosts/host-rules.ts'
import { readFetchOptions } from '../http/fetch-options.ts'
import { readHeaders } from '../http/request-headers.ts'
import { type Check, checkEach, isPlainData } from './read-options.ts'
import { showValue } from './show-value.ts'

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

export const isFunction: Test = (value) => typeof value === 'function'

export const isText: Test = (value) => typeof value === 'string' && value !== ''

/** True for what `for await` takes, but not for a string: its letters would be the members. */
const isList: Test = (value) => hasMethods(value, Symbol.iterator) || hasMethods(value, Symbol.asyncIterator)

export function hasMethods(value: unknown, ...names: readonly (string | symbol)[]): boolean {
  return Object(value) === value && names.every((name) => isFunction(Reflect.get(Object(value), name)))
}

export const text = /* @__PURE__ */ must('a string', isString)
export const flag = /* @__PURE__ */ must('true or false', (value) => typeof value === 'boolean')
export const callback = /* @__PURE__ */ must('a function', isFunction)
/** Of milliseconds and the like; `Infinity` means no limit. */
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
/** A list of pairs may be one that can be read once. */
export const headers = /* @__PURE__ */ readBy((value) => isList(value) || readHeaders(value))
export const clock = /* @__PURE__ */ having('a clock', 'now', 'setTimeout', 'clearTimeout')

/** Of a `Secret`. Its value is not printed. */
export const secret: Check = (value) =>
  value === undefined || isString(value) || (isPlainData(value) && Object.values(value).every(isString))
    ? undefined
    : 'must be a string, or an object of strings by their ids'

/** The checks of the arguments of calls, by the argument's name. */
const ARGUMENTS = /* @__PURE__ */ (() => {
  const id = needs('an id', isText)
  // Not a string: its letters would count.
  const list = needs('a list, like [one, two]', isList)
  return { model: id, id, inputs: list, jobs: list } satisfies Record<string, Check>
})()

/** Checks the arguments of a call except its options. @throws ConfigurationError */
export function checkArguments(place: string, given: { readonly [Name in keyof typeof ARGUMENTS]?: unknown }): void {
  checkEach(place, given, ARGUMENTS)
}
