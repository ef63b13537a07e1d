import { createHash } from 'node:crypto'
import { isAbsolute, join, relative } from 'node:path'
import { UsageError } from '../errors.ts'
import { inputProblems, type RunInput, readValues, urlOf } from '../run/input.ts'
import { type InputRules, isUrlParameter, type Parameter } from '../run/parameters.ts'
import { MOST_PROBLEMS, type RawRow } from './read-rows.ts'
import { looksLikeAttempt, rowContent } from './row-keys.ts'

/** A row that can be run. */
export interface BatchRow {
  row: number
  /** The same for the same row in every process: a key is sent at most once. */
  key: string
  input: RunInput
  /** As it stands in the file. */
  cells: ReadonlyMap<string, unknown>
}

/** What makes rows of cells. */
export interface RowRules extends InputRules {
  model: string
  /** The column of `--key`. */
  key: string | undefined
  /** The columns of `--ignore-columns`. */
  ignored: readonly string[]
  /** The folder of `--files`. */
  files: string | undefined
}

const LONGEST_KEY = 250

/** Makes the runs of a batch of its rows. @throws UsageError with what is wrong in each row, before anything is paid */
export async function batchRows(raw: readonly RawRow[], rules: RowRules): Promise<BatchRow[]> {
  checkColumns(raw, rules)
  const rows: BatchRow[] = []
  const problems: string[] = []
  const keyOf = createKeys(rules)
  for (const one of raw) {
    try {
      const input = await inputOf(one, rules)
      rows.push({ row: one.row, key: keyOf(one, input), input, cells: one.cells })
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      problems.push(`row ${one.row}: ${error.message}`)
    }
  }
  failWith('The rows do not fit the model. Nothing was sent.', problems)
  return rows
}

/** @throws UsageError with the first problems, when there is one */
export function failWith(sentence: string, problems: readonly string[], advice = ''): void {
  if (problems.length === 0) return
  const left = problems.length - MOST_PROBLEMS
  const more = left > 0 ? [`and ${left} more`] : []
  const lines = [sentence, ...problems.slice(0, MOST_PROBLEMS), ...more].join('\n  ')
  throw new UsageError(`${lines}\n${advice}`.trimEnd())
}

/** A column that is wrong is wrong in every row: it is named once. */
function checkColumns(raw: readonly RawRow[], { schema, parameters, model, key, ignored }: RowRules): void {
  const columns = new Set(raw.flatMap(({ cells }) => [...cells.keys()]))
  const missing = key !== undefined && !columns.has(key)
  if (missing) throw new UsageError(`No row has the column ${key} of --key. Nothing was sent.`)
  const unknown = [...columns].filter(
    (name) => name !== key && !ignored.includes(name) && !Object.hasOwn(schema.properties, name),
  )
  const rules = { parameters, schema: { ...schema, required: [] } }
  const problems = unknown.flatMap((name) => inputProblems(rules, { [name]: '' }))
  const names = unknown.join(',')
  const advice =
    `If the model need not have them: --ignore-columns ${/^[\w,.-]+$/.test(names) ? names : `'${names}'`}. ` +
    'A column that names the rows goes into --key <column>.'
  failWith(`The columns do not fit the model ${model}. Nothing was sent.`, problems, advice)
}

async function inputOf({ cells, isCsv }: RawRow, rules: RowRules): Promise<RunInput> {
  const { schema, parameters, key, ignored, files } = rules
  const input: RunInput = Object.create(null)
  for (const [name, cell] of cells) {
    const parameter = parameters.find((one) => one.name === name)
    if (ignored.includes(name) || (parameter === undefined && name === key)) continue
    const value = isCsv && parameter !== undefined ? readValues(parameter, [String(cell)]) : cell
    input[name] = parameter === undefined ? value : await withFile(value, parameter, files)
  }
  const problems = inputProblems({ schema, parameters }, input)
  if (problems.length > 0) throw new UsageError(problems.join(' '))
  return input
}

/** Rows may come from others: they name files of one folder only, and only where `--files` says so. */
async function withFile(value: unknown, parameter: Parameter, folder: string | undefined): Promise<unknown> {
  if (folder === undefined || typeof value !== 'string' || !isUrlParameter(parameter)) return value
  if (/^[a-z][a-z0-9+.-]+:/i.test(value)) return value
  const path = join(folder, value)
  const inside = relative(folder, path)
  if (inside.startsWith('..') || isAbsolute(inside) || isAbsolute(value)) {
    throw new UsageError(`${parameter.name}: ${value} is outside of the folder ${folder} of --files.`)
  }
  return urlOf(path, parameter)
}

/** Keys are column values, or hashes of the content with a number for content that comes again. */
function createKeys({ key: column, model, schema }: RowRules): (row: RawRow, input: RunInput) => string {
  const counts = new Map<string, number>()
  return ({ cells }, input) => {
    const content = JSON.stringify([model, rowContent(input, schema)])
    const key = column === undefined ? hashOf(content) : keyOf(cells.get(column))
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (column === undefined) return `${key}-${count}`
    const problem = count > 1 ? 'comes again: keys are unique' : keyProblem(key)
    if (problem !== undefined) throw new UsageError(`the key ${key} in the column ${column} of --key ${problem}.`)
    return key
  }
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}

function keyOf(cell: unknown): string {
  return typeof cell === 'string' || typeof cell === 'number' ? String(cell) : ''
}

function keyProblem(key: string): string | undefined {
  if (key === '') return 'is empty'
  if (key.length > LONGEST_KEY) return `is longer than ${LONGEST_KEY} characters`
  return looksLikeAttempt(key) ? 'has the control character U+001E or U+001F' : undefined
}
