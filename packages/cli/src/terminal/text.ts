/** Control characters, and characters that change the direction of text: a service could move the cursor with them. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** Text of a service on one line, without characters that control a terminal. */
export function cleanText(text: string): string {
  return text.replace(UNSAFE, ' ').trim()
}

/** A price for people, such as `4 credits`. */
export function priceText(credits: number): string {
  return countText(credits, 'credit')
}

/** A number of things, such as `2 rows`. */
export function countText(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

/** A duration for people: `8 s`, `2 min 5 s`, `1 h 3 min`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

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
function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}

function columnsOf(character: string): number {
  if (NARROW.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

const GAP = '  '
/** A last column that is narrower says nothing. */
const LEAST_COLUMNS = 12

/**
 * Lines of a table. The first row is its heading. The last column is cut to the width, and left out where it has no room.
 *
 * @param width columns of the terminal; `Infinity` cuts nothing
 */
export function tableLines(rows: readonly (readonly string[])[], width: number): string[] {
  const count = rows[0]?.length ?? 0
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => textWidth(row[column] ?? ''))),
  )
  const shown = columnsThatFit(widths, width)
  return rows.map((row) => {
    const cells = shown.map((columns, column) => padText(fitText(row[column] ?? '', columns), columns))
    return cells.join(GAP).trimEnd()
  })
}

/** Columns lose their room from the right. */
function columnsThatFit(widths: readonly number[], width: number): number[] {
  const shown: number[] = []
  let left = width
  for (const [column, wanted] of widths.entries()) {
    const room = column === 0 ? left : left - GAP.length
    const isCut = wanted > room
    if (isCut && column > 0 && room < LEAST_COLUMNS) break
    shown.push(Math.min(wanted, room))
    if (isCut) break
    left = room - wanted
  }
  return shown
}
