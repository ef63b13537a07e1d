/** Number of bytes that are enough to recognize text. */
const HEAD_BYTES = 512

/** An `svg` element, with nothing before it but what XML allows there. Each text matches in one way: none takes long. */
const SVG = /^(?:\s|<\?xml[^>]*>|<!--(?:(?!-->).)*-->|<!doctype svg[^>]*>)*<svg\b/is

/** Whether a file is an SVG image. */
export function isSvg(bytes: Uint8Array): boolean {
  return SVG.test(textOf(bytes) ?? '')
}

/** The start of a file as text; `undefined` when it contains bytes that text does not contain. */
export function textOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, HEAD_BYTES)
  const isBinary = head.some((byte) => byte < 0x20 && !'\t\n\f\r\x1b'.includes(String.fromCharCode(byte)))
  return isBinary ? undefined : new TextDecoder().decode(head).trimStart()
}

/** The start of a file for a message: text in quotes, other bytes in hexadecimal. */
export function describeStart(bytes: Uint8Array): string {
  const text = textOf(bytes)
  if (text !== undefined) return JSON.stringify(text.slice(0, 60))
  return Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
}
