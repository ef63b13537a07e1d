import { cleanText } from '@modelrun/kit'

export { cleanText, safeJson } from '@modelrun/kit'

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

/** How many columns of a terminal a text takes. */
export type TextWidth = (text: string) => number

/** The width of a text in which every character has one column. */
export const narrowWidth: TextWidth = (text) => [...text].length

/** Whether it is such a text, as far as one can say without a table of all characters. */
export function isNarrow(text: string): boolean {
  return /^[ -~·…]*$/.test(text)
}

/** The text, or its start with `…` when it is wider. */
export function fitText(text: string, width: number, widthOf: TextWidth): string {
  if (width === Number.POSITIVE_INFINITY || widthOf(text) <= width) return text
  let fitted = ''
  let used = 1 // the sign at the end
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += widthOf(segment)
    if (used > width) break
    fitted += segment
  }
  return width < 1 ? '' : `${fitted}…`
}

const GAP = '  '
/** A last column that is narrower says nothing. */
const LEAST_COLUMNS = 12

/**
 * Lines of a table. The first row is its heading. The last column is cut to the width, and left out where it has no room.
 *
 * @param width columns of the terminal; `Infinity` cuts nothing
 */
export function tableLines(rows: readonly (readonly string[])[], width: number, widthOf: TextWidth): string[] {
  const cells = rows.map((row) => row.map(cleanText))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))))
  const shown = columnsThatFit(widths, width)
  const pad = (text: string, columns: number) => {
    const fitted = fitText(text, columns, widthOf)
    return fitted + ' '.repeat(Math.max(0, columns - widthOf(fitted)))
  }
  return cells.map((row) =>
    shown
      .map((columns, column) => pad(row[column] ?? '', columns))
      .join(GAP)
      .trimEnd(),
  )
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
