import { at, isRecord, itemsOf } from '../json.ts'
import { isExact } from './bounds.ts'

const SAMPLE_TEXT = 'a lighthouse at dawn'

/**
 * Makes the smallest input that fits a model's `input_schema` (section 2.3): each mandatory parameter with its default,
 * its first allowed value, its minimum, or a plain value of its type.
 *
 * @returns `undefined` when a parameter needs something that cannot be made up, such as the URL of a picture
 */
export function sampleInput(inputSchema: unknown): Record<string, unknown> | undefined {
  const names = itemsOf(at(inputSchema, '/required')).filter((name) => typeof name === 'string')
  const entries = names.map((name) => [name, sampleValue(name, at(inputSchema, `/properties/${name}`))] as const)
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
}

function sampleValue(name: string, property: unknown): unknown {
  if (!isRecord(property)) return undefined
  const known = property.default ?? itemsOf(property.enum)[0]
  if (known !== undefined) return known
  switch (typeOf(property)) {
    case 'string':
      return isAddress(name, property) ? undefined : SAMPLE_TEXT
    case 'integer':
    case 'number':
      return isExact(property.minimum) ? property.minimum : 1
    case 'boolean':
      return false
    default:
      return undefined
  }
}

/** JSON Schema has one type, or a list of them. */
export function typeOf({ type }: Record<string, unknown>): unknown {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type
}

function isAddress(name: string, { description }: Record<string, unknown>): boolean {
  return /ur[li]s?$/i.test(name) || /\bURL\b/i.test(String(description))
}
