/** Control characters, and characters that change the direction of text: a service could move the cursor with them. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** Text of a service on one line, without characters that control a terminal. */
export function cleanText(text: string): string {
  return text.replace(UNSAFE, ' ').trim()
}
