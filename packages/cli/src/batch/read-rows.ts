import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { parse } from 'csv-parse/sync'
import { UsageError } from '../errors/usage-error.ts'

/** A row as it stands in the file. */
export interface RawRow {
  /** From 1, without the heading of a CSV file. */
  row: number
  cells: ReadonlyMap<string, unknown>
  /** Whether the cells are texts that still have no type. */
  isCsv: boolean
}

/** Reads the rows of `--inputs`. @throws UsageError */
export async function readRows(path: string): Promise<RawRow[]> {
  const content = (await readSource(path)).replace(/^\ufeff/, '')
  const isCsv = path === '-' ? !content.trimStart().startsWith('{') : /\.[ct]sv$/i.test(path)
  const rows = isCsv ? csvRows(content, path) : jsonRows(content)
  if (rows.length > 0) return rows
  throw new UsageError(`${sourceName(path)} has no rows. It takes JSON lines, or CSV with a heading.`)
}

async function readSource(path: string): Promise<string> {
  if (path === '-') return await text(process.stdin)
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(
      `The rows cannot be read from --inputs ${path}: ${error instanceof Error ? error.message : error}`,
    )
  }
}

function sourceName(path: string): string {
  return path === '-' ? 'Standard input' : `The file ${path} of --inputs`
}

function jsonRows(content: string): RawRow[] {
  const lines = content.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }))
  return lines
    .filter(({ line }) => line !== '')
    .map(({ line, number }, index) => ({ row: index + 1, cells: cellsOf(line, number), isCsv: false }))
}

function cellsOf(line: string, number: number): Map<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return new Map(Object.entries(value))
  } catch {
    // The same message as for JSON that is no object.
  }
  throw new UsageError(`Line ${number} of --inputs is not a JSON object. Each line has the parameters of one run.`)
}

function csvRows(content: string, path: string): RawRow[] {
  const [heading = [], ...rows] = parseCsv(content, path)
  const names = heading.map((name) => name.trim())
  const [only = ''] = names
  // As spreadsheets of some countries write it.
  if (names.length === 1 && only.includes(';')) {
    throw new UsageError(
      `The heading of --inputs ${path} has semicolons. Save the file with commas between its columns.`,
    )
  }
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
    throw new UsageError(`--inputs ${path} is not CSV: ${error instanceof Error ? error.message : error}`)
  }
}
