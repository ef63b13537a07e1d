/** A value as TypeScript: names without quotes where they need none, strings in single quotes. */
export function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  if (members.length === 0) return '{}'
  const inner = `${indent}  `
  const parts = members.map(([name, member]) => `${memberName(name)}: ${literal(member, inner)}`)
  const line = `{ ${parts.join(', ')} }`
  if (line.length + indent.length <= 90) return line
  return `{\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${indent}}`
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** An argument of a shell, in single quotes. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** What JSON text means; `undefined` where it is cut, missing, or not JSON. */
function parsed(text: unknown): object | undefined {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

/** JSON text on several lines, or the text as it is. */
export function prettyJson(text: string): string {
  return JSON.stringify(parsed(text), null, 2) ?? text
}

/** A path as people read it; one that is not well encoded stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
