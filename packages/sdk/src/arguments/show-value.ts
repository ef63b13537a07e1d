import { kindOf } from '../value-kind.ts'

const LONGEST_TEXT = 60

/** A value as error messages show it. A long text is cut. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LONGEST_TEXT))
  if (Object(value) !== value) return String(value)
  const kind = kindOf(value).replace(/^(Object|Array)$/, (name) => name.toLowerCase())
  return `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind}`
}
