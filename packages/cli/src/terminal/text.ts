import { cleanText } from '@modelrun/kit'

export { cleanText, safeJson } from '@modelrun/kit'

export function priceText(credits: number): string {
  return countText(credits, 'credit')
}

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

/** A word of a command that is advised, as a POSIX shell takes it: an id of a service could be a command of its own. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

export type TextWidth = (text: string) => number

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

/**
 * Lines of a table. The first row is its heading.
 *
 * @param width columns of the terminal, to which the lines are cut; `Infinity` cuts nothing
 */
export function tableLines(rows: readonly (readonly string[])[], width: number, widthOf: TextWidth): string[] {
  const cells = rows.map((row) => row.map(cleanText))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))))
  return cells.map((row) => {
    const padded = row.map((text, column) => text + ' '.repeat((widths[column] ?? 0) - widthOf(text)))
    return fitText(padded.join('  ').trimEnd(), width, widthOf)
  })
}
