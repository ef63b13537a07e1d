const LONGEST_TEXT = 60

/** `Object`, `Array`, `Promise`, …: what a value is to every realm. */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

/** A value in the words of an error message. Of a long text, its beginning. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LONGEST_TEXT))
  if (Object(value) !== value) return String(value)
  const kind = kindOf(value).replace(/^(Object|Array|Function)$/, (name) => name.toLowerCase())
  return `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind}`
}
