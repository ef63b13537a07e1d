/** Whether a value is an object with members: no array, and not `null`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is an object without a class, in any realm. */
export function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A member of an object; `undefined` of any other value. */
export function memberOf(value: unknown, name: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

type Defined<T> = string extends keyof T
  ? { [Name in keyof T]: Exclude<T[Name], undefined> }
  : { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
      [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>
    }

export function defined<const T extends object>(members: T): Defined<T> {
  // The filter leaves no undefined value.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>
}

/** A member that is a string; `undefined` when it is something else. */
export function stringIn(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name)
  return typeof member === 'string' ? member : undefined
}

/** A member that is a finite number; `undefined` when it is something else. */
export function numberIn(value: unknown, name: string): number | undefined {
  const member = memberOf(value, name)
  // `isFinite` of a number only: of a string it is false.
  return Number.isFinite(member) ? (member as number) : undefined
}

/** A URL; `undefined` when it is none. Browsers of before 2024 have no `URL.canParse`. */
export function toUrl(value: unknown, base?: string | URL): URL | undefined {
  try {
    return typeof value === 'string' ? new URL(value, base) : undefined
  } catch {
    return undefined
  }
}

/** A path as a JSON pointer (RFC 6901), e.g. `/data/items/0`; empty for the root. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The value of a JSON text; `undefined` when the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A copy of JSON, for a reader that may change it. React Native has no `structuredClone`. */
export function copyJson<T>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return value
  }
}

/** The JSON of a value, the same for each order of its members. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** What an error says, with its cause: `fetch failed` alone does not help. The cause may have a code and no message. */
export function messageWithCause(error: unknown): string {
  // By shape, not by `instanceof`: under some test runners, errors of Node come from another realm.
  return [error, memberOf(error, 'cause')]
    .filter((part) => part !== undefined)
    .map((part) => String(memberOf(part, 'message') || (memberOf(part, 'code') ?? part)))
    .join(': ')
}

/** Name of a value's kind for a message: `null`, `number`, `Buffer`, `File`, `Promise`. Also right for other realms. */
export function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  // Node's Buffer is a Uint8Array by its tag.
  return tag === 'Uint8Array' && value.constructor?.name === 'Buffer' ? 'Buffer' : tag
}

/** True for an object that holds values under names; false for one that is a value of its own, such as a Promise. */
export function isPlainData(value: unknown): value is object {
  return kindOf(value) === 'Object'
}

const LONGEST_TEXT = 60

/** A value as error messages show it. A long text is cut. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LONGEST_TEXT))
  if (Object(value) !== value) return String(value)
  const kind = kindOf(value).replace(/^(Object|Array)$/, (name) => name.toLowerCase())
  return `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind}`
}

const LONGEST_MESSAGE = 4_000

/** Text of anybody without the middle of what is too long for a message: its ends say what happened, and what to do. */
export function shorten(text: string): string {
  return text.length > LONGEST_MESSAGE
    ? `${text.slice(0, LONGEST_MESSAGE * 0.75)} … ${text.slice(-LONGEST_MESSAGE / 4)}`
    : text
}

/** Whether a value is a Blob or a File: of the platform, some of which have no tags, or of another, such as jsdom. */
export function isBlob(value: unknown): value is Blob {
  return value instanceof Blob || ['Blob', 'File'].includes(kindOf(value))
}

export function isArrayBuffer(value: unknown): value is ArrayBufferLike {
  return ['ArrayBuffer', 'SharedArrayBuffer'].includes(kindOf(value))
}

/** An object of parameters, also one of an interface. Lists, bytes and maps, which are iterable, are none. */
export type AnyInput =
  | { readonly [name: string]: unknown; readonly [Symbol.iterator]?: never }
  | (object & { readonly [Symbol.iterator]?: never })
