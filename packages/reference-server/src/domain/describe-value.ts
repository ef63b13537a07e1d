const MAX_SHOWN = 60

/** A JSON value for an error message, shortened: `"high"`, `2.5`, `null`, `an array`, `an object`. Never throws. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'string' ? shorten(JSON.stringify(value)) : shorten(String(value))
}

/** Text cut to a length that fits into a sentence. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
