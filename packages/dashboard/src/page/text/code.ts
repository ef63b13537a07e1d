export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** What JSON text means; `undefined` where it is cut, missing, or not JSON. */
export function parsed(text: unknown): object | undefined {
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
