import { isAbsolute, join, relative } from 'node:path'
import type { Run } from '@modelrun/durable'
import { stableJson } from '@modelrun/kit'
import { UsageError } from '../errors.ts'
import { INEXACT, inputProblems, isInexact, type RunInput, readValues, withFiles } from '../run/input.ts'
import type { InputRules } from '../run/parameters.ts'
import { shellWord } from '../terminal/text.ts'
import type { SavedRow } from './open-batch.ts'
import type { RawRow } from './read-csv.ts'
import { hashOf, looksLikeAttempt, withPlainLines } from './row-keys.ts'

export const MOST_PROBLEMS = 10

/** A row of a batch: what it was in the file, its latest attempt, and its outcome. */
export interface Row extends SavedRow {
  /** From 1, without the heading. */
  row: number
  /** The same for the same row in every process. */
  key: string
  input: RunInput
  cells: RawRow['cells']
  /** Number of attempts so far; 1 for none. Each is a run of its own in the batch, and is sent at most once. */
  attempt: number
  run?: Run | undefined
  /** Earlier attempts that may be paid, the last one first. */
  unknown?: Run[] | undefined
  /** An attempt after `run`, which brought no success. */
  repeated?: Run | undefined
}

/** Whether an earlier command has sent the row, for the price that it has agreed to. */
export function isSent({ run }: Row): boolean {
  return run !== undefined && run.state !== 'waiting'
}

export interface RowRules extends InputRules {
  model: string
  key: string | undefined
  ignored: readonly string[]
  files: string | undefined
}

const LONGEST_KEY = 250

/**
 * Makes the rows of a batch. A row of a table that has no value for the model is left out, as a blank one is: spreadsheets have
 * numbers below the last row.
 *
 * @throws UsageError with what is wrong in each row, before anything is paid
 */
export async function createRows(raw: readonly RawRow[], rules: RowRules): Promise<Row[]> {
  const columns = checkColumns(raw, rules)
  const rows: Row[] = []
  const problems: string[] = []
  const createKey = keyFactory(rules)
  for (const { row, cells, isCsv } of raw) {
    try {
      if (isCsv && columns.size > 0 && ![...cells.keys()].some((name) => columns.has(name))) continue
      const input = await readInput({ row, cells, isCsv }, rules)
      rows.push({ row, key: createKey(cells, input), input, cells, attempt: 1 })
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      problems.push(`row ${row}: ${error.message}`)
    }
  }
  failWith('The rows do not fit the model. Nothing was sent.', problems)
  return rows
}

/** @throws UsageError with the first problems, when there is one */
export function failWith(sentence: string, problems: readonly string[], advice?: string): void {
  if (problems.length === 0) return
  const left = problems.length - MOST_PROBLEMS
  const more = left > 0 ? [`and ${left} more`] : []
  const lines = [...problems.slice(0, MOST_PROBLEMS), ...more].map((line) => `  ${line}`)
  throw new UsageError(sentence, advice === undefined ? lines : [...lines, advice])
}

/** A column that is wrong is wrong in every row: it is named once. Returns the columns for the model. */
function checkColumns(raw: readonly RawRow[], { schema, model, key, ignored }: RowRules): ReadonlySet<string> {
  const columns = new Set(raw.flatMap(({ cells }) => [...cells.keys()]))
  if (key !== undefined && !columns.has(key))
    throw new UsageError(`No row has a value in the column ${key} of --key. Nothing was sent.`)
  const others = [...columns].filter((name) => name !== key)
  const isParameter = (name: string) => Object.hasOwn(schema.properties, name) && !ignored.includes(name)
  const known = new Set([...columns].filter(isParameter))
  if (others.length > 0 && known.size === 0) {
    // A user who ignores all of them would pay for runs without an input.
    throw new UsageError(`No column is a parameter of the model ${model}: ${others.join(', ')}. Nothing was sent.`)
  }
  const unknown = others.filter((name) => !known.has(name) && !ignored.includes(name))
  const rules = { parameters: [], schema: { ...schema, required: [] } }
  const problems = unknown.flatMap((name) => inputProblems(rules, { [name]: '' }))
  const names = unknown.join(',')
  const advice =
    `If the model need not have them: --ignore-columns ${shellWord(names)}. ` +
    'A column that names the rows goes into --key <column>.'
  failWith(`The columns do not fit the model ${model}. Nothing was sent.`, problems, advice)
  return known
}

async function readInput({ cells, isCsv }: RawRow, rules: RowRules): Promise<RunInput> {
  const { schema, parameters, key, ignored, files } = rules
  const input: RunInput = Object.create(null)
  const findFile = files === undefined ? undefined : (file: string) => fileIn(files, file)
  for (const [name, cell] of cells) {
    // Also of a key, and of what stands in the report alone.
    if (isInexact(cell)) throw new UsageError(`${name}: ${INEXACT}.`)
    const parameter = parameters.find((one) => one.name === name)
    // Programs write null for an empty cell.
    const isNull = cell === null && !parameter?.types.includes('null')
    if (isNull || ignored.includes(name) || (parameter === undefined && name === key)) continue
    checkText(name, cell, isCsv)
    const value = isCsv && parameter !== undefined ? readValues(parameter, [String(cell)]) : cell
    input[name] = parameter === undefined ? value : await withFiles(value, { ...parameter, flag: undefined }, findFile)
  }
  // Columns have the names of the service, and no flags.
  const problems = inputProblems({ schema, parameters: [] }, input)
  if (problems.length > 0) throw new UsageError(problems.join(' '))
  return input
}

const SPREADSHEET_ERROR = /^\s*(#(NAME\?|REF!|N\/A|VALUE!|DIV\/0!|NULL!|NUM!|SPILL!|CALC!|ERROR!)|Err:\d{3})\s*$/

/** @throws UsageError for a text that is not worth its price */
function checkText(name: string, text: unknown, isCsv: boolean): void {
  if (typeof text !== 'string' || text.trim() === '') return
  if (text.includes('\0')) throw new UsageError(`${name} has a NUL character.`)
  if (isCsv && SPREADSHEET_ERROR.test(text))
    throw new UsageError(`${name} has the error ${text.trim()} of a spreadsheet.`)
  if (!/[^\p{Cc}\p{Cf}\p{Z}\p{DI}]/u.test(text))
    throw new UsageError(`${name} has only characters that cannot be seen.`)
}

/** Rows may come from others: they name files of one folder only, and only where `--files` says so. */
function fileIn(folder: string, name: string): string {
  const path = join(folder, name)
  const inside = relative(folder, path)
  if (!inside.startsWith('..') && !isAbsolute(inside) && !isAbsolute(name)) return path
  throw new UsageError(`${name} is outside of the folder ${folder} of --files.`)
}

/** Keys are column values, or hashes of the content with a number for content that comes again. */
function keyFactory({ key: column, model }: RowRules): (cells: Row['cells'], input: RunInput) => string {
  const counts = new Map<string, number>()
  return (cells, input) => {
    const key =
      column === undefined ? hashOf(JSON.stringify([model, stableJson(input)]), 32) : cellKey(cells.get(column))
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (column === undefined) return `${key}-${count}`
    const problem = count > 1 ? 'comes again: keys are unique' : keyProblem(key)
    if (problem !== undefined) throw new UsageError(`the key ${key} in the column ${column} of --key ${problem}.`)
    return key
  }
}

function cellKey(cell: unknown): string {
  return typeof cell === 'string' || typeof cell === 'number' ? withPlainLines(String(cell)) : ''
}

function keyProblem(key: string): string | undefined {
  if (key === '') return 'is empty'
  if (key.length > LONGEST_KEY) return `is longer than ${LONGEST_KEY} characters`
  return looksLikeAttempt(key) ? 'has the control character U+001E or U+001F' : undefined
}
