import { extname } from 'node:path'
import { isRecord, tryParseJson } from '@modelrun/kit'
import { UsageError } from '../errors.ts'
import { readText, sourceName, type TextSource } from '../files/read-text.ts'
import { type RawRow, type RawRows, readCsv } from './read-csv.ts'
import { MOST_PROBLEMS } from './rows.ts'

export interface RowSource {
  inputs: string
  delimiter?: string | undefined
}

export async function readRows({ inputs, delimiter }: RowSource): Promise<RawRows> {
  const source: TextSource = { path: inputs, option: '--inputs' }
  const content = await readText(source)
  const found = isCsvFile(inputs, content)
    ? readCsv(content, source, delimiter)
    : { rows: readJson(content, source), blank: 0 }
  if (found.rows.length > 0) return found
  throw new UsageError(`${sourceName(source)} has no rows. It takes JSON lines, a JSON array, or CSV with a heading.`)
}

/** Tables have many names: what does not start as JSON is one. */
function isCsvFile(path: string, content: string): boolean {
  const extension = extname(path).toLowerCase()
  if (['.csv', '.tsv', '.json', '.jsonl', '.ndjson'].includes(extension)) return /^\.[ct]/.test(extension)
  return !/^\s*[[{]/.test(content)
}

/**
 * JSON lines, or one JSON document: an array of objects, or one object.
 *
 * @throws UsageError which names the values that are not an object
 */
function readJson(content: string, source: TextSource): RawRow[] {
  const document = tryParseJson(content)
  const values =
    document === undefined
      ? content.split('\n').map((line) => (line.trim() === '' ? EMPTY : tryParseJson(line)))
      : [document].flat()
  const wrong = values.flatMap((value, index) => (value === EMPTY || isRecord(value) ? [] : [index + 1]))
  if (wrong.length === 0) {
    const objects = values.filter(isRecord)
    return objects.map((value, index) => ({ row: index + 1, cells: new Map(Object.entries(value)), isCsv: false }))
  }
  const more = wrong.length > MOST_PROBLEMS ? ` and ${wrong.length - MOST_PROBLEMS} more` : ''
  throw new UsageError(`${sourceName(source)} has values that are not JSON objects. Nothing was sent.`, [
    `  ${document === undefined ? 'Line' : 'Item'} ${wrong.slice(0, MOST_PROBLEMS).join(', ')}${more}`,
    'A row is an object with the parameters of one run, such as {"prompt":"a red fox"}. ' +
      "Lines of plain text become rows with: jq -Rc '{prompt: .}'",
  ])
}

const EMPTY = Symbol('empty line')
