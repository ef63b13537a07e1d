/** Converts effects to text for comparison: members of objects, maps and sets are sorted. */
export function effectsText(effects: unknown): string {
  // JSON.stringify returns undefined for undefined and functions, although its type says string.
  const text = JSON.stringify(effects, (_, value) => toPlain(value)) as string | undefined
  return text ?? 'undefined'
}

function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Map || value instanceof Set) return inOrder([...value])
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(inOrder(Object.entries(value)))
}

function inOrder<T>(members: T[]): T[] {
  return members
    .map((member) => ({ member, text: effectsText(member) }))
    .sort((a, b) => (a.text < b.text ? -1 : Number(a.text !== b.text)))
    .map(({ member }) => member)
}
