import { createHash } from 'node:crypto'
import { isAbsolute, join, relative } from 'node:path'
import { UsageError } from '../errors/usage-error.ts'
import { urlOf } from '../run/build-input.ts'
import { type InputRules, inputProblems, type RunInput } from '../run/check-input.ts'
import { isUrlParameter, type Parameter } from '../run/parameter.ts'
import { parseValues } from '../run/parse-values.ts'
import { looksLikeAttempt } from './attempt-key.ts'
import type { RawRow } from './read-rows.ts'
import { rowContent } from './row-content.ts'

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

const MOST_PROBLEMS = 10
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
  failWith({ sentence: 'The rows do not fit the model. Nothing was sent.', problems, unit: 'rows' })
  return rows
}

/** What is wrong with a file, a line for each problem. */
interface Problems {
  sentence: string
  problems: readonly string[]
  /** What there is more of, such as `rows`. */
  unit: string
  advice?: string
}

/** @throws UsageError with the first problems, when there is one */
export function failWith({ sentence, problems, unit, advice }: Problems): void {
  if (problems.length === 0) return
  const left = problems.length - MOST_PROBLEMS
  const more = left > 0 ? [`and ${left} more ${unit}`] : []
  const lines = [sentence, ...problems.slice(0, MOST_PROBLEMS), ...more].join('\n  ')
  throw new UsageError(advice === undefined ? lines : `${lines}\n${advice}`)
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
  failWith({
    sentence: `The columns do not fit the model ${model}. Nothing was sent.`,
    problems,
    unit: 'columns',
    advice,
  })
}

async function inputOf({ cells, isCsv }: RawRow, rules: RowRules): Promise<RunInput> {
  const { schema, parameters, key, ignored, files } = rules
  const input: RunInput = Object.create(null)
  for (const [name, cell] of cells) {
    const parameter = parameters.find((one) => one.name === name)
    if (ignored.includes(name) || (parameter === undefined && name === key)) continue
    const value = isCsv && parameter !== undefined ? parseValues(parameter, [String(cell)]) : cell
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
function createKeys({ key, model, schema }: RowRules): (row: RawRow, input: RunInput) => string {
  const seen = new Map<string, number>()
  return ({ cells, row }, input) => {
    const count = (text: string) => {
      const times = (seen.get(text) ?? 0) + 1
      seen.set(text, times)
      return times
    }
    if (key === undefined) {
      const hash = createHash('sha256')
        .update(JSON.stringify([model, rowContent(input, schema)]))
        .digest('hex')
        .slice(0, 32)
      return `${hash}-${count(hash)}`
    }
    const value = cells.get(key)
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    if (text === '') throw new UsageError(`the column ${key} of --key is empty.`)
    if (text.length > LONGEST_KEY)
      throw new UsageError(`the key in the column ${key} is longer than ${LONGEST_KEY} characters.`)
    if (looksLikeAttempt(text))
      throw new UsageError(`the key in the column ${key} has the control character U+001E or U+001F.`)
    if (count(text) > 1)
      throw new UsageError(`the key ${text} is that of an earlier row than row ${row}. Keys are unique.`)
    return text
  }
}
