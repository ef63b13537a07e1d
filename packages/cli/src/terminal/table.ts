import { fitText, padText, textWidth } from './text-width.ts'

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
