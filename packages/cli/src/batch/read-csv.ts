import { extname } from 'node:path'
import { parse } from 'csv-parse/sync'
import { messageOf, UsageError } from '../errors.ts'
import { sourceName, type TextSource } from '../files/read-text.ts'

export interface RawRow {
  /** From 1, without the heading and without blank rows. */
  row: number
  cells: ReadonlyMap<string, unknown>
  isCsv: boolean
}

export interface RawRows {
  rows: readonly RawRow[]
  blank: number
}

interface CsvRecord {
  record: string[]
  info: { lines: number }
}

/** The first line of tables of some spreadsheets. */
const SEPARATOR_LINE = /^"?sep=(.)"?\r?\n/i

/** Reads a table with a heading. Rows without a value are left out. @throws UsageError */
export function readCsv(content: string, source: TextSource, given: string | undefined): RawRows {
  const [separatorLine = '', separator] = SEPARATOR_LINE.exec(content) ?? []
  const delimiter = given ?? separator ?? findDelimiter(content, source)
  try {
    return readTable(content, delimiter, separatorLine === '' ? 1 : 2)
  } catch (error) {
    const texts = `texts with ${delimiter === '\t' ? 'tabs' : `"${delimiter}"`}, quotes or line breaks`
    const advice = `Put ${texts} in quotes, or name another delimiter with --delimiter.`
    throw new UsageError(`${sourceName(source)} is not CSV: ${messageOf(error)}. Nothing was sent. ${advice}`)
  }
}

function findDelimiter(table: string, { path }: TextSource): string {
  if (extname(path).toLowerCase() === '.tsv') return '\t'
  const [heading = ''] = table
    .replace(/"[^"]*"/g, '')
    .trimStart()
    .split(/\r?\n|\r/)
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: heading.split(delimiter).length }))
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).delimiter
}

/** @throws Error which says what is wrong */
function readTable(content: string, delimiter: string, from_line: number): RawRows {
  // Lines that were put together end in several ways. With `info`, a record is an object, which the types do not know.
  const record_delimiter = ['\r\n', '\n', '\r']
  const options = { delimiter, from_line, record_delimiter, info: true, skip_empty_lines: true }
  const [heading, ...records] = parse(content, options) as unknown as CsvRecord[]
  const names = (heading?.record ?? []).map((name) => name.trim())
  const repeated = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (repeated !== undefined) throw new Error(`the column ${repeated} is twice in its heading`)
  const filled = records.filter(({ record }) => record.some((cell) => cell.trim() !== ''))
  const rows = filled.map((record, index) => ({ row: index + 1, cells: readCells(record, names), isCsv: true }))
  return { rows, blank: records.length - filled.length }
}

/** An empty cell, or one of spaces, leaves the parameter out. */
function readCells({ record, info }: CsvRecord, names: readonly string[]): RawRow['cells'] {
  if (names.every((name, column) => record[column]?.trim() === name)) {
    throw new Error(`line ${info.lines} has the heading again`)
  }
  const filled = [...record.entries()].filter(([, cell]) => cell.trim() !== '')
  const cells = filled.map(([column, cell]): [string, string] => {
    const name = names[column]
    if (name) return [name, cell]
    throw new Error(`line ${info.lines} has the cell "${cell.slice(0, 40)}", for which the heading has no name`)
  })
  return new Map(cells)
}
