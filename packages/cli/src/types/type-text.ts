import { quote } from './foreign-text.ts'
import type { Parameter } from './typed-model.ts'

/** The most whole numbers that are written out, such as `1 | 2 | 3 | 4`. */
const MAX_STEPS = 12

const TYPES = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
  ['array', 'readonly unknown[]'],
  ['object', 'object'],
])

/** The type of a parameter's value. What TypeScript can check, it checks. */
export function typeText({ types = ['any value'], enum: allowed, minimum, maximum }: Parameter): string {
  const parts = new Set(allowed?.map(literalType) ?? types.flatMap((type) => typesOf(type, minimum, maximum)))
  return parts.has('unknown') ? 'unknown' : [...parts].join(' | ')
}

function typesOf(type: string, minimum = Number.NaN, maximum = Number.NaN): string[] {
  if (type === 'integer') return wholeNumbers(Math.ceil(minimum), Math.floor(maximum)) ?? ['number']
  return [TYPES.get(type) ?? 'unknown']
}

/** Each whole number of a small range. */
function wholeNumbers(first: number, last: number): string[] | undefined {
  const count = last - first + 1
  // False for NaN too.
  if (!(count >= 1 && count <= MAX_STEPS && Number.isSafeInteger(first) && Number.isSafeInteger(last))) return undefined
  return Array.from({ length: count }, (_, step) => String(first + step))
}

function literalType(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'number'
  if (Array.isArray(value)) return 'readonly unknown[]'
  return typeof value === 'object' && value !== null ? 'object' : String(value)
}
