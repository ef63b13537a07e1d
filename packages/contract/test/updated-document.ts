export type JsonObject = { [name: string]: unknown }

interface Part {
  /** As it stands in the document. */
  written: unknown
  /** As the code says. */
  current: unknown
  /** Names of the members that lead to the part. Default: the document itself. */
  path?: readonly string[]
}

interface Rules {
  /** Members that only the document has, such as texts. */
  kept: readonly string[]
  /** Paths where the document says more than the code. */
  stricter?: readonly string[]
}

/** A part of a document that is written by hand, with what the code says now. An integer may be any number in the code. */
export function updated({ written, current, path = [] }: Part, rules: Rules): unknown {
  const { kept, stricter = [] } = rules
  if (stricter.includes(path.join('/')) || (current === 'number' && written === 'integer')) return written
  if (typeof current !== 'object' || current === null) return current
  const before = typeof written === 'object' && written !== null ? written : {}
  const updateMember = ([name, value]: [string, unknown]) => {
    const part = { written: Reflect.get(before, name), current: value, path: [...path, name] }
    return [name, updated(part, rules)] as const
  }
  const members = Object.fromEntries(Object.entries(current).map(updateMember))
  if (Array.isArray(current)) return Object.values(members)
  return {
    ...Object.fromEntries(Object.entries(before).filter(([name]) => kept.includes(name) || name in current)),
    ...members,
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
