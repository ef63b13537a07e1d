const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u
const NARROW = /\p{M}|\u200d|\ufe0f/u

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

/** The text, or its start with `…` when it is wider. */
export function fitText(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let fitted = ''
  let used = 1 // the sign at the end
  for (const character of text) {
    used += columnsOf(character)
    if (used > width) break
    fitted += character
  }
  return width < 1 ? '' : `${fitted}…`
}

/** The text with spaces up to a width. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}

function columnsOf(character: string): number {
  if (NARROW.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}
