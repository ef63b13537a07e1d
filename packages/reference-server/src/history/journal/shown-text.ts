/** So much of a body is recorded. */
const MAX_SHOWN_BYTES = 2_048

/**
 * The start of a body, as the journal shows it.
 *
 * @param text what the bytes say
 */
export function shownText(bytes: Uint8Array, text: string): string {
  if (bytes.byteLength <= MAX_SHOWN_BYTES) return text
  // A slice of the text would keep all of it in memory.
  return new TextDecoder().decode(bytes.subarray(0, MAX_SHOWN_BYTES)).replace(/\uFFFD$/, '')
}
