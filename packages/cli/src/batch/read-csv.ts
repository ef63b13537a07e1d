import { extname } from 'node:path'
import { parse } from 'csv-parse/sync'
import { messageOf, UsageError } from '../errors.ts'
import { sourceName, type TextSource } from '../files/read-text.ts'

/** A row as it stands in the file. */
export interface RawRow {
  /** From 1, without the heading and without blank rows. */
  row: number
  cells: ReadonlyMap<string, unknown>
  /** Whether the cells are strings that still have no type. */
  isCsv: boolean
}

/** The rows of a file, and how many of it were left out. */
export interface RawRows {
  rows: readonly RawRow[]
  blank: number
}

/** How a table is read. */
interface CsvSource {
  source: TextSource
  /** The option `--delimiter`. */
  delimiter: string | undefined
}

/** A record of a table, and the line where it ends. */
interface CsvRecord {
  record: string[]
  info: { lines: number }
}

/** The first line of tables of some spreadsheets. */
const SEPARATOR_LINE = /^"?sep=(.)"?\r?\n/i

/** Reads a table with a heading. Rows without a value are left out. @throws UsageError */
export function readCsv(content: string, { source, ...given }: CsvSource): RawRows {
  const [separatorLine = '', separator] = SEPARATOR_LINE.exec(content) ?? []
  const table = content.slice(separatorLine.length)
  const delimiter = given.delimiter ?? separator ?? findDelimiter(table, source)
  const fail = (problem: string) => {
    const texts = `texts with ${delimiter === '\t' ? 'tabs' : `"${delimiter}"`}, quotes or line breaks`
    const advice = `Put ${texts} in quotes, or name another delimiter with --delimiter.`
    throw new UsageError(`${sourceName(source)} is not CSV: ${problem}. Nothing was sent. ${advice}`)
  }
  const [heading, ...records] = parseCsv(table, { delimiter, fail })
  const names = (heading?.record ?? []).map((name) => name.trim())
  const repeated = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (repeated !== undefined) fail(`the column ${repeated} is twice in its heading`)
  const filled = records.filter(({ record }) => record.some((cell) => cell.trim() !== ''))
  const rows = filled.map(({ record, info }, index): RawRow => {
    const line = info.lines + (separatorLine === '' ? 0 : 1)
    return {
      row: index + 1,
      cells: readCells(record, names, (problem) => fail(`line ${line} ${problem}`)),
      isCsv: true,
    }
  })
  return { rows, blank: records.length - filled.length }
}

/** The delimiter that the heading has most often outside of quotes. */
function findDelimiter(table: string, { path }: TextSource): string {
  if (extname(path).toLowerCase() === '.tsv') return '\t'
  const [heading = ''] = table
    .replace(/"[^"]*"/g, '')
    .trimStart()
    .split(/\r?\n|\r/)
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: heading.split(delimiter).length }))
  return counts.reduce((most, one) => (one.count > most.count ? one : most)).delimiter
}

function parseCsv(
  table: string,
  { delimiter, fail }: { delimiter: string; fail: (problem: string) => never },
): CsvRecord[] {
  try {
    // With `info`, a record is an object; the types of the library do not know it.
    const options = { delimiter, info: true, relax_column_count: true, skip_empty_lines: true }
    return parse(table, options) as unknown as CsvRecord[]
  } catch (error) {
    return fail(messageOf(error))
  }
}

/** An empty cell, or one of spaces, leaves the parameter out. */
function readCells(
  record: readonly string[],
  names: readonly string[],
  fail: (problem: string) => never,
): RawRow['cells'] {
  const isHeading = names.every((name, column) => record[column]?.trim() === name)
  if (isHeading) fail('has the heading again')
  if (record.length < names.length) fail('has fewer cells than the heading')
  const cells = new Map<string, string>()
  for (const [column, cell] of record.entries()) {
    if (cell.trim() === '') continue
    const name = names[column] || fail(`has the cell "${cell.slice(0, 40)}", for which the heading has no name`)
    cells.set(name, cell)
  }
  return cells
}
