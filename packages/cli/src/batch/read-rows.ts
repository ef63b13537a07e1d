import { isRecord, tryParseJson } from '@modelrun/kit'
import { parse } from 'csv-parse/sync'
import { reasonOf, UsageError } from '../errors.ts'
import { readText, sourceName, type TextSource } from '../files/read-text.ts'

/** A row as it stands in the file. */
export interface RawRow {
  /** From 1, without the heading of a CSV file. */
  row: number
  cells: ReadonlyMap<string, unknown>
  /** Whether the cells are texts that still have no type. */
  isCsv: boolean
}

/** So many problems of a file are listed. */
export const MOST_PROBLEMS = 10

/** Reads the rows of `--inputs`. @throws UsageError */
export async function readRows(path: string, encoding?: string): Promise<RawRow[]> {
  const source: TextSource = { path, option: '--inputs', encoding }
  const content = await readText(source)
  const isCsv = path === '-' ? !/^\s*[[{]/.test(content) : /\.[ct]sv$/i.test(path)
  const rows = isCsv ? csvRows(content, path) : jsonRows(content, source)
  if (rows.length > 0) return rows
  throw new UsageError(`${sourceName(source)} has no rows. It takes JSON lines, a JSON array, or CSV with a heading.`)
}

/**
 * JSON lines, or one JSON document: an array of objects, or one object.
 *
 * @throws UsageError which names the values that are not an object
 */
function jsonRows(content: string, source: TextSource): RawRow[] {
  const document = tryParseJson(content)
  const values = document === undefined ? content.split('\n').map(readLine) : [document].flat()
  const wrong = values.flatMap((value, index) => (value === EMPTY || isRecord(value) ? [] : [index + 1]))
  if (wrong.length === 0) {
    const objects = values.filter(isRecord)
    return objects.map((value, index) => ({ row: index + 1, cells: new Map(Object.entries(value)), isCsv: false }))
  }
  const more = wrong.length > MOST_PROBLEMS ? ` and ${wrong.length - MOST_PROBLEMS} more` : ''
  throw new UsageError(
    `${sourceName(source)} has what is not a JSON object. Nothing was sent.\n` +
      `  ${document === undefined ? 'Line' : 'Item'} ${wrong.slice(0, MOST_PROBLEMS).join(', ')}${more}\n` +
      'A row is an object with the parameters of one run, such as {"prompt":"a red fox"}. ' +
      "Of plain lines rows are made with: jq -Rc '{prompt: .}'",
  )
}

const EMPTY = Symbol('empty line')

function readLine(line: string): unknown {
  return line.trim() === '' ? EMPTY : tryParseJson(line)
}

function csvRows(content: string, path: string): RawRow[] {
  const [heading = [], ...rows] = parseCsv(content, path)
  const names = heading.map((name) => name.trim())
  const [only = ''] = names
  // As spreadsheets of some countries write it.
  if (names.length === 1 && only.includes(';'))
    throw new UsageError(
      `The heading of --inputs ${path} has semicolons. Save the file with commas between its columns.`,
    )
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    throw new UsageError(`The column ${repeated} is twice in the heading of --inputs ${path}.`)
  return rows.map((cells, index) => ({
    row: index + 1,
    // An empty cell leaves the parameter out.
    cells: new Map(names.flatMap((name, column) => (cells[column] === '' ? [] : [[name, cells[column]]]))),
    isCsv: true,
  }))
}

function parseCsv(content: string, path: string): string[][] {
  try {
    return parse(content, { skip_empty_lines: true, delimiter: /\.tsv$/i.test(path) ? '\t' : ',' })
  } catch (error) {
    throw new UsageError(`--inputs ${path} is not CSV: ${reasonOf(error)}`)
  }
}
