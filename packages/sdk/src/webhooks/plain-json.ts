import { MAX_WEBHOOK_BYTES } from './webhook-body.ts'

/** No shape of ours is deeper than 5. */
const MAX_DEPTH = 32

/** What an untrusted value was found to be. */
export type PlainJson =
  | { kind: 'plain'; value: unknown }
  /** Deeper than 32 levels, which includes values that hold themselves. `value` is its top level, without deeper ones. */
  | { kind: 'too_deep'; value: unknown }
  /** More than any body that is small enough can hold. */
  | { kind: 'too_large' }

/**
 * Copies a value that came over the network, or that a body parser made, into plain objects and lists: nothing of it
 * runs later (`toJSON`), holds itself, or names a prototype (`__proto__`, `constructor`).
 */
export function toPlainJson(value: unknown): PlainJson {
  // The last value of each level has no comma.
  const counts = { characters: -MAX_DEPTH, isTooDeep: false }
  const copy = copyValue(value, 0, counts)
  if (counts.characters > MAX_WEBHOOK_BYTES) return { kind: 'too_large' }
  return counts.isTooDeep ? { kind: 'too_deep', value: topLevel(copy) } : { kind: 'plain', value: copy }
}

interface Counts {
  /** At least so many are in the JSON: of each value, one and a comma. */
  characters: number
  isTooDeep: boolean
}

function copyValue(value: unknown, depth: number, counts: Counts): unknown {
  counts.characters += typeof value === 'string' ? value.length + 2 : 2
  if (typeof value !== 'object' || value === null) return isJson(value) ? value : undefined
  if (depth >= MAX_DEPTH) counts.isTooDeep = true
  if (counts.isTooDeep || counts.characters > MAX_WEBHOOK_BYTES) return undefined
  return Array.isArray(value) ? copyList(value, depth, counts) : copyObject(value, depth, counts)
}

function copyList(list: readonly unknown[], depth: number, counts: Counts): unknown[] {
  const copy: unknown[] = []
  for (let index = 0; index < list.length && counts.characters <= MAX_WEBHOOK_BYTES; index++) {
    copy.push(copyValue(list[index], depth + 1, counts) ?? null)
  }
  return copy
}

function copyObject(value: object, depth: number, counts: Counts): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    if (namesPrototype(key, member)) continue
    counts.characters += key.length + 3
    const kept = copyValue(member, depth + 1, counts)
    if (kept !== undefined) copy[key] = kept
  }
  return copy
}

/** Code that merges events into objects of its own would change their prototypes. */
function namesPrototype(key: string, member: unknown): boolean {
  return key === '__proto__' || (key === 'constructor' && typeof member === 'object')
}

function isJson(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || value === null
}

function topLevel(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member !== 'object'))
}
