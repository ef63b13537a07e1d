import { type Check, checkEach, hasMethods, isPlainData, isText, kindOf, needs } from '@modelrun/kit'
import { readFetchOptions, readHeaders } from '../http/fetch.ts'

/** True for what `for await` takes, but not for a string: its letters would be the members. */
const isList = (value: unknown) => hasMethods(value, Symbol.iterator) || hasMethods(value, Symbol.asyncIterator)

/** A check by a function that throws. */
function readBy(read: (value: never) => unknown): Check {
  return (value) => {
    // These functions throw errors of their own.
    if (value !== undefined) read(value as never)
    return undefined
  }
}
export const fetchOptions = /* @__PURE__ */ readBy(readFetchOptions)
/** A list of pairs may be an iterator, which can be read only once. */
export const headers = /* @__PURE__ */ readBy((value) => isList(value) || readHeaders(value))

/** For a `Secret`. The message does not contain its value. */
export const secret: Check = (value) => {
  const isString = (one: unknown) => typeof one === 'string'
  return value === undefined || isString(value) || (isPlainData(value) && Object.values(value).every(isString))
    ? undefined
    : 'must be a string, or an object of strings by their ids'
}

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

/** Whether a value is a Blob or a File: of the platform, some of which have no tags, or of another, such as jsdom. */
export function isBlob(value: unknown): value is Blob {
  return value instanceof Blob || ['Blob', 'File'].includes(kindOf(value))
}

/** Whether a value is a buffer without a view. */
export function isArrayBuffer(value: unknown): value is ArrayBufferLike {
  return ['ArrayBuffer', 'SharedArrayBuffer'].includes(kindOf(value))
}
