/** Whether a value is an object with members: no array, and not `null`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member of an object; `undefined` of any other value. */
export function memberOf(value: unknown, name: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
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

/** What an error says, with its cause: `fetch failed` alone does not help. The cause may have a code and no message. */
export function messageWithCause(error: unknown): string {
  // By shape, not by `instanceof`: under some test runners, errors of Node come from another realm.
  return [error, memberOf(error, 'cause')]
    .filter((part) => part !== undefined)
    .map((part) => String(memberOf(part, 'message') || (memberOf(part, 'code') ?? part)))
    .join(': ')
}
