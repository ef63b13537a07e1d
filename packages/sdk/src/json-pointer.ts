/** A path as a JSON pointer (RFC 6901), e.g. `/data/items/0`; empty for the root. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
