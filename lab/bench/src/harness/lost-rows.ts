/** The rows of the first table of a Markdown text that the first table of another lacks, each by its cells of some columns. */
export function lostRows(before: string, after: string, columns: readonly string[]): string[] {
  const kept = rowsOf(after, columns)
  return rowsOf(before, columns).filter((row) => !kept.includes(row))
}

function rowsOf(text: string, columns: readonly string[]): string[] {
  const [table = ''] = /(?:^\|.*\n?)+/m.exec(text) ?? []
  const [head = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.slice(2, -2).split(' | '))
  return rows.map((cells) => columns.map((column) => cells[head.indexOf(column)]).join(', '))
}
