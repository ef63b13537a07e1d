import { type Check, hasMethods, jsonPointer, kindOf } from '@modelrun/kit'
import { isArrayBuffer, isBlob } from '../../shared/checks.ts'
import type { InputIssue } from '../errors/local-errors.ts'

/** A value as JSON has it. */
interface ReadJson {
  /** A copy in plain objects and lists. `JSON.stringify` makes the same text of it as of the value. */
  json: unknown
  /** What JSON would lose or change: the first five. Without any, nothing. */
  issues: readonly InputIssue[]
}

/** Where a value is. */
interface Place {
  key: string
  parent: Place | undefined
  depth: number
}

/** The copy of an object or a list, and how long it is as JSON, in characters. */
interface Copy {
  json: object
  length: number
}

interface Reading {
  issues: InputIssue[]
  /** The copy of each object and list; undefined while it is made. */
  copies: Map<object, Copy | undefined>
  /** About how long the JSON of what was read is, in characters. */
  length: number
}

const MAX_ISSUES = 5

/** `JSON.stringify` takes some thousands, depending on the stack. */
const MAX_DEPTH = 1_000

/** In characters. An object that is in many places is short here, and as long as all of them in JSON. */
const MAX_LENGTH = 100_000_000

/**
 * Reads a value as `JSON.stringify` does, and finds what that would lose without a word: files, functions, `NaN`, `undefined`
 * in a list. A member of an object that is undefined is left out. Each member is read once: a getter cannot give one value to
 * the check and another one to the request.
 */
export function readJson(value: unknown): ReadJson {
  const reading: Reading = { issues: [], copies: new Map(), length: 0 }
  const place = { key: '', parent: undefined, depth: 0 }
  const json = readMember(value, place, reading)
  if (reading.length > MAX_LENGTH) report(TOO_LONG, place, reading)
  return { json, issues: reading.issues }
}

const TOO_LONG = `is longer than ${MAX_LENGTH / 1e6} million characters as JSON. Pass files by their URL.`

/** The issues as one text. `whole` names the value itself. */
export function describeIssues(issues: readonly InputIssue[], whole: string): string {
  return issues.map(({ pointer, message }) => `${pointer || whole} ${message}`).join(' ')
}

/** For an argument that is stored as JSON. */
export const json: Check = (value) => {
  const { issues } = readJson(value)
  return issues.length === 0 ? undefined : `must be JSON: ${describeIssues(issues, 'it').replace(/\.$/, '')}`
}

function readMember(given: unknown, place: Place, reading: Reading): unknown {
  const value = asJson(given, place.key)
  const problem =
    value === null && kindOf(given) === 'Date' ? 'is an invalid Date, which JSON turns into null.' : problemOf(value)
  if (problem !== undefined) return report(problem, place, reading)
  if (typeof value !== 'object' || value === null) return value
  const { copies } = reading
  const copy = copies.get(value)
  if (copy !== undefined) {
    reading.length += copy.length
    return copy.json
  }
  if (copies.has(value)) return report('contains itself, which JSON cannot hold.', place, reading)
  if (place.depth > MAX_DEPTH) return report(`is nested deeper than ${MAX_DEPTH} levels.`, place, reading)
  copies.set(value, undefined)
  const before = reading.length
  const json = Array.isArray(value) ? readList(value, place, reading) : readObject(value, place, reading)
  copies.set(value, { json, length: reading.length - before })
  return json
}

function report(message: string, place: Place, { issues }: Reading): undefined {
  const path: string[] = []
  for (let at = place; at.parent !== undefined; at = at.parent) path.push(at.key)
  issues.push({ pointer: jsonPointer(path.reverse()), message })
}

function readList(list: readonly unknown[], place: Place, reading: Reading): unknown[] {
  const copy: unknown[] = []
  for (let index = 0; index < list.length && reading.issues.length < MAX_ISSUES; index++) {
    const given = list[index]
    reading.length += lengthOf(given)
    if (isPlain(given)) copy.push(given)
    else {
      const found = reading.issues.length
      const inner = { key: String(index), parent: place, depth: place.depth + 1 }
      const value = readMember(given, inner, reading)
      if (value === undefined && reading.issues.length === found) {
        report('is undefined, which JSON turns into null.', inner, reading)
      }
      copy.push(value)
    }
  }
  return copy
}

function readObject(value: object, place: Place, reading: Reading): object {
  const copy: Record<string, unknown> = {}
  for (const [key, given] of Object.entries(value)) {
    if (reading.issues.length >= MAX_ISSUES) break
    reading.length += key.length + lengthOf(given)
    const member = isPlain(given) ? given : readMember(given, { key, parent: place, depth: place.depth + 1 }, reading)
    if (member === undefined) continue
    // An assignment would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, enumerable: true })
    else copy[key] = member
  }
  return copy
}

/** At least one, for the comma. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length + 3 : 1
}

/** Most members: JSON holds them as they are. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value)
}

/** What JSON takes instead of a value: the result of its `toJSON`, or the value in a box such as `new Number(1)`. */
function asJson(given: unknown, key: string): unknown {
  if (given === undefined || given === null) return given
  const hasOwnJson = !isFile(given) && hasMethods(Object(given), 'toJSON')
  const value = hasOwnJson ? Reflect.get(Object(given), 'toJSON').call(given, key) : given
  return typeof value === 'object' && ['String', 'Number', 'Boolean', 'BigInt'].includes(kindOf(value))
    ? value.valueOf()
    : value
}

function problemOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `is a ${typeof value}, which JSON leaves out.`
    case 'bigint':
      return 'is a bigint, which JSON cannot hold: pass a number or a text.'
    case 'number':
      return Number.isFinite(value) ? undefined : `is ${value}, which JSON turns into null.`
    case 'object':
      return value === null || Array.isArray(value) ? undefined : problemOfObject(value)
    default:
      return undefined
  }
}

function problemOfObject(value: object): string | undefined {
  const kind = kindOf(value)
  if (isFile(value)) {
    return `is a file (${kind}). Files go as text: pass \`await toDataUri(image)\` (from 'modelrun'), or the file's URL.`
  }
  if (hasMethods(value, 'then')) return `is a ${kind}: await it.`
  if (kind === 'Response' || kind === 'ReadableStream' || hasMethods(value, 'pipe')) {
    return 'is a stream: read it, and pass `await toDataUri(blob)`.'
  }
  if (isEmptied(value, kind)) return `is ${classOf(value, kind)}, which JSON empties.`
  const isNamed = (name: symbol) => Object.prototype.propertyIsEnumerable.call(value, name)
  const symbol = Object.getOwnPropertySymbols(value).find(isNamed)
  return symbol && `has a member named by a symbol (${String(symbol)}), which JSON leaves out.`
}

function isFile(value: unknown): boolean {
  return ArrayBuffer.isView(value) || isArrayBuffer(value) || isBlob(value)
}

/** Kinds whose contents JSON never sees. */
const CLOSED_KINDS = ['Map', 'Set', 'Error']

/** True for a Map, an element of a page, or an object of a class that has only getters and private fields. */
function isEmptied(value: object, kind: string): boolean {
  if (CLOSED_KINDS.includes(kind)) return true
  const prototype: object | null = Object.getPrototypeOf(value)
  // An object of another realm, too.
  const isPlainObject = prototype === null || Object.getPrototypeOf(prototype) === null
  return !isPlainObject && Object.keys(value).length === 0
}

function classOf(value: object, kind: string): string {
  const name = kind === 'Object' ? (value.constructor?.name ?? kind) : kind
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`
}
