import { MAX_WEBHOOK_BYTES } from './webhook-body.ts'

/** Deliveries of section 6 have at most 5 levels. */
const MAX_DEPTH = 32

/** The copy of an untrusted value. */
export type PlainJson =
  | { kind: 'plain'; value: unknown }
  /** Deeper than 32 levels, which includes circular values. `value` has only the top level. */
  | { kind: 'too_deep'; value: unknown }
  /** More values or longer texts than a body of the allowed size can have. */
  | { kind: 'too_large' }

/**
 * Copies a value from the network, or from a body parser, into plain objects and lists. The copy has no methods (`toJSON`), no
 * cycles, and no members that change prototypes (`__proto__`, `constructor`).
 */
export function toPlainJson(value: unknown): PlainJson {
  // -1: no comma follows the outermost value.
  const counts = { bytes: -1, isTooDeep: false }
  const copy = copyValue(value, 0, counts)
  if (isTooLarge(counts)) return { kind: 'too_large' }
  return counts.isTooDeep ? { kind: 'too_deep', value: topLevel(copy) } : { kind: 'plain', value: copy }
}

interface Counts {
  /** Minimum size of the JSON of everything that was copied: each value takes at least one character and a comma. */
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

/** @param around bytes of quotes and colon that are not counted elsewhere */
function countText(text: string, around: number, counts: Counts): void {
  // Does not encode a text that has too many characters.
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

/** Such members would change the prototypes of objects that a program merges the event into. */
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
