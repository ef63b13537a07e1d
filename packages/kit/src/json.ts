import { type Check, hasMethods } from './checks.ts'
import { isArrayBuffer, isBlob, isPlainObject, jsonPointer, kindOf, memberOf } from './values.ts'

/** What JSON would lose or change of a value. */
export interface JsonIssue {
  /** JSON pointer (RFC 6901) to the place. */
  pointer: string
  message: string
}

interface ReadJson {
  /** A copy in plain objects and lists. `JSON.stringify` makes the same text of it as of the value. */
  json: unknown
  /** The first five. Without any, nothing is lost. */
  issues: readonly JsonIssue[]
}

interface Reading {
  issues: JsonIssue[]
  /** The keys from the root to the value that is read. */
  path: string[]
  /** The copy of each object and list, and its length as JSON. Undefined while it is made. */
  copies: Map<object, { json: object; length: number } | undefined>
  /** About how long the JSON of what was read is, in characters. */
  length: number
  rejectsUndefined: boolean
}

const MAX_ISSUES = 5

/** `JSON.stringify` takes some thousands, depending on the stack. */
const MAX_DEPTH = 1_000

/** In characters. An object that is in many places is as long as all of them in JSON. */
const MAX_LENGTH = 100_000_000

const TOO_LONG = 'is longer than 100 million characters as JSON. Pass files by their URL.'

/**
 * Reads a value as `JSON.stringify` does, and finds what that would lose without a word: files, functions, `NaN`, `undefined`
 * in a list. A member of an object that is undefined is left out, or an issue with `rejectsUndefined`. Each member is read once:
 * a getter cannot give one value to the check and another one to the request.
 */
export function readJson(value: unknown, { rejectsUndefined = false } = {}): ReadJson {
  const reading: Reading = { issues: [], path: [], copies: new Map(), length: 0, rejectsUndefined }
  const json = readMember(value, '', reading)
  if (reading.length > MAX_LENGTH && reading.issues.length === 0) report(TOO_LONG, reading)
  return { json, issues: reading.issues }
}

/** The issues as one sentence after another. `whole` names the value itself. */
export function describeIssues(issues: readonly JsonIssue[], whole: string): string {
  return issues.map(({ pointer, message }) => `${pointer || whole} ${message}`).join(' ')
}

/** For an argument that is stored as JSON, mostly after something was awaited. */
export const json: Check = /* @__PURE__ */ Object.assign(jsonIssue, { copy: (value: unknown) => readJson(value).json })

function jsonIssue(value: unknown): string | undefined {
  const { issues } = readJson(value)
  return issues.length === 0 ? undefined : `must be JSON: ${describeIssues(issues, 'it').replace(/\.$/, '')}`
}

function readMember(given: unknown, key: string, reading: Reading): unknown {
  reading.length += typeof given === 'string' ? given.length + 3 : 1
  if (isPlain(given)) return given
  const value = asJson(given, key)
  if (value === null && kindOf(given) === 'Date')
    return report('is an invalid Date, which JSON turns into null.', reading)
  const problem = jsonProblem(value)
  if (problem !== undefined) return report(problem, reading)
  return typeof value === 'object' && value !== null ? readInside(value, reading) : value
}

/** Most members: JSON holds them as they are. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value)
}

function report(message: string, { issues, path }: Reading): undefined {
  issues.push({ pointer: jsonPointer(path), message })
}

function readInside(value: object, reading: Reading): unknown {
  const { copies, path } = reading
  const copy = copies.get(value)
  if (copy !== undefined) {
    reading.length += copy.length
    return copy.json
  }
  if (copies.has(value)) return report('contains itself, which JSON cannot hold.', reading)
  if (path.length > MAX_DEPTH) return report(`is nested deeper than ${MAX_DEPTH} levels.`, reading)
  copies.set(value, undefined)
  const before = reading.length
  const json = Array.isArray(value) ? readList(value, reading) : readObject(value, reading)
  copies.set(value, { json, length: reading.length - before })
  return json
}

function readList(list: readonly unknown[], reading: Reading): unknown[] {
  const { issues, path } = reading
  const copy: unknown[] = []
  for (let index = 0; index < list.length && issues.length < MAX_ISSUES; index++) {
    path.push(String(index))
    const found = issues.length
    const member = readMember(list[index], String(index), reading)
    if (member === undefined && issues.length === found) report('is undefined, which JSON turns into null.', reading)
    copy.push(member)
    path.pop()
  }
  return copy
}

function readObject(value: object, reading: Reading): object {
  const copy: Record<string, unknown> = {}
  for (const [key, given] of Object.entries(value)) {
    if (reading.issues.length >= MAX_ISSUES) break
    reading.length += key.length
    reading.path.push(key)
    if (given === undefined && reading.rejectsUndefined) report('is undefined, which JSON leaves out.', reading)
    const member = readMember(given, key, reading)
    reading.path.pop()
    if (member === undefined) continue
    // An assignment would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, enumerable: true })
    else copy[key] = member
  }
  return copy
}

/** What JSON takes instead of a value: the result of its `toJSON`, or the value in a box such as `new Number(1)`. */
function asJson(given: unknown, key: string): unknown {
  const value = !isFile(given) && hasJson(given) ? given.toJSON(key) : given
  const isBox = typeof value === 'object' && ['String', 'Number', 'Boolean', 'BigInt'].includes(kindOf(value))
  return isBox && value !== null ? value.valueOf() : value
}

function hasJson(value: unknown): value is { toJSON(key: string): unknown } {
  return hasMethods(value, 'toJSON')
}

function jsonProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `is a ${typeof value}, which JSON leaves out.`
    case 'bigint':
      return 'is a bigint, which JSON cannot hold: pass a number or a string.'
    case 'number':
      return Number.isFinite(value) ? undefined : `is ${value}, which JSON turns into null.`
    case 'object':
      return value === null || Array.isArray(value) ? undefined : objectProblem(value)
    default:
      return undefined
  }
}

function objectProblem(value: object): string | undefined {
  const kind = kindOf(value)
  if (isFile(value)) {
    return `is a file (${kind}). Files go as text: pass \`await toDataUri(image)\` (from 'modelrun'), or the file's URL.`
  }
  if (hasMethods(value, 'then')) return `is a ${kind}: await it.`
  if (kind === 'Response' || kind === 'ReadableStream' || hasMethods(value, 'pipe')) {
    return 'is a stream: read it, and pass `await toDataUri(blob)`.'
  }
  if (isRawJson(value)) return 'is raw JSON, which would not keep its type: pass a number or a string.'
  // A class may have only getters and private fields. A Map, an event or an element has a kind of its own.
  const isEmptied = !isPlainObject(value) && Object.keys(value).length === 0
  if (kind !== 'Object' || isEmptied) return `is ${withArticle(value, kind)}, which JSON empties. Pass plain data.`
  const isNamed = (name: symbol) => Object.prototype.propertyIsEnumerable.call(value, name)
  const symbol = Object.getOwnPropertySymbols(value).find(isNamed)
  return symbol && `has a member named by a symbol (${String(symbol)}), which JSON leaves out.`
}

function isFile(value: unknown): boolean {
  return ArrayBuffer.isView(value) || isArrayBuffer(value) || isBlob(value)
}

/** True for what `JSON.rawJSON` returns, where the runtime has it. */
function isRawJson(value: object): boolean {
  const test = memberOf(JSON, 'isRawJSON')
  return typeof test === 'function' && test(value)
}

function withArticle(value: object, kind: string): string {
  const name = kind === 'Object' ? (value.constructor?.name ?? kind) : kind
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`
}
