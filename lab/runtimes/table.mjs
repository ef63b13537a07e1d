import { readFileSync, writeFileSync } from 'node:fs'

const START = '<!-- runtimes: start -->\n'
const END = '\n<!-- runtimes: end -->'

/** The first two lines of a Markdown table. `columns` are titles, each with what a row has there. */
export function renderHead(columns) {
  const titles = Object.keys(columns)
  return `${renderCells(titles)}\n${renderCells(titles.map(() => '---'))}`
}

export const renderRow = (columns, row) => renderCells(Object.values(columns).map((cell) => cell(row)))

const renderCells = (cells) => `| ${cells.join(' | ')} |`

/** Puts a table between the two marks of a document. */
export function writeTable(document, table) {
  const text = readFileSync(document, 'utf8')
  const [before] = text.split(START)
  const [, after] = text.split(END)
  writeFileSync(document, `${before}${START}${table}${END}${after}`)
}
