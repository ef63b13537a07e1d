import { MAX_WEBHOOK_BYTES } from './webhook-body.ts'

/** No shape of ours is deeper than 5. */
const MAX_DEPTH = 32

/** What an untrusted value was found to be. */
export type PlainJson =
  | { kind: 'plain'; value: unknown }
  /** Deeper than 32 levels, which includes values that hold themselves. `value` is its top level, without deeper ones. */
  | { kind: 'too_deep'; value: unknown }
  /** More values, or longer texts, than any body that is small enough can hold. */
  | { kind: 'too_large' }

/**
 * Copies a value that came over the network, or that a body parser made, into plain objects and lists: nothing of it
 * runs later (`toJSON`), holds itself, or names a prototype (`__proto__`, `constructor`).
 */
export function toPlainJson(value: unknown): PlainJson {
  // The outermost value is not followed by a comma.
  const counts = { bytes: -1, isTooDeep: false }
  const copy = copyValue(value, 0, counts)
  if (isTooLarge(counts)) return { kind: 'too_large' }
  return counts.isTooDeep ? { kind: 'too_deep', value: topLevel(copy) } : { kind: 'plain', value: copy }
}

interface Counts {
  /** Fewest bytes of JSON that could have held what was copied: a value takes a character and a comma at least. */
  bytes: number
  isTooDeep: boolean
}

function copyValue(value: unknown, depth: number, counts: Counts): unknown {
  counts.bytes += 2
  if (typeof value === 'string') countText(value, 1, counts)
  if (typeof value !== 'object' || value === null) return isJson(value) ? value : undefined
  if (depth >= MAX_DEPTH) counts.isTooDeep = true
  if (counts.isTooDeep || isTooLarge(counts)) return undefined
  return Array.isArray(value) ? copyList(value, depth, counts) : copyObject(value, depth, counts)
}

/** `around`: quotes and a colon, as far as they are not counted otherwise. */
function countText(text: string, around: number, counts: Counts): void {
  // A text that is too long by its characters alone is not encoded.
  counts.bytes += around + (text.length > MAX_WEBHOOK_BYTES ? text.length : new TextEncoder().encode(text).byteLength)
}

function isTooLarge({ bytes }: Counts): boolean {
  return bytes > MAX_WEBHOOK_BYTES
}

function copyList(list: readonly unknown[], depth: number, counts: Counts): unknown[] {
  const copy: unknown[] = []
  for (let index = 0; index < list.length && !isTooLarge(counts); index++) {
    copy.push(copyValue(list[index], depth + 1, counts) ?? null)
  }
  return copy
}

function copyObject(value: object, depth: number, counts: Counts): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    if (namesPrototype(key, member)) continue
    countText(key, 3, counts)
    if (isTooLarge(counts)) break
    const copied = copyValue(member, depth + 1, counts)
    if (copied !== undefined) copy[key] = copied
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
