import { createHash } from 'node:crypto'
import { isAbsolute, join, relative } from 'node:path'
import { UsageError } from '../errors/usage-error.ts'
import { urlOf } from '../run/build-input.ts'
import { type InputRules, inputProblems, type RunInput } from '../run/check-input.ts'
import { isUrlParameter, type Parameter } from '../run/parameter.ts'
import { parseValues } from '../run/parse-values.ts'
import { looksLikeAttempt } from './attempt-key.ts'
import type { RawRow } from './read-rows.ts'

/** A row that can be run. */
export interface BatchRow {
  row: number
  /** The same for the same row in every process: a key is sent at most once. */
  key: string
  input: RunInput
}

/** What makes rows of cells. */
export interface RowRules extends InputRules {
  model: string
  /** The column of `--key`. */
  key: string | undefined
  /** The folder of `--files`. */
  files: string | undefined
}

const MOST_PROBLEMS = 10
const LONGEST_KEY = 250

/** Makes the runs of a batch of its rows. @throws UsageError with what is wrong in each row, before anything is paid */
export async function batchRows(raw: readonly RawRow[], rules: RowRules): Promise<BatchRow[]> {
  const { key } = rules
  if (key !== undefined && !raw.some(({ cells }) => cells.has(key))) {
    throw new UsageError(`No row has the column ${key} of --key. Nothing was sent.`)
  }
  const rows: BatchRow[] = []
  const problems: string[] = []
  const keyOf = createKeys(rules)
  for (const one of raw) {
    try {
      const input = await inputOf(one, rules)
      rows.push({ row: one.row, key: keyOf(one), input })
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      problems.push(`row ${one.row}: ${error.message}`)
    }
  }
  if (problems.length === 0) return rows
  const more = problems.length > MOST_PROBLEMS ? [`and ${problems.length - MOST_PROBLEMS} more rows`] : []
  throw new UsageError(
    ['The rows do not fit the model. Nothing was sent.', ...problems.slice(0, MOST_PROBLEMS), ...more].join('\n  '),
  )
}

async function inputOf({ cells, isCsv }: RawRow, { schema, parameters, key, files }: RowRules): Promise<RunInput> {
  const input: RunInput = Object.create(null)
  for (const [name, cell] of cells) {
    const parameter = parameters.find((one) => one.name === name)
    if (parameter === undefined && name === key) continue
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
function createKeys({ key, model }: RowRules): (row: RawRow) => string {
  const seen = new Map<string, number>()
  return ({ cells, row }) => {
    const count = (text: string) => {
      const times = (seen.get(text) ?? 0) + 1
      seen.set(text, times)
      return times
    }
    if (key === undefined) {
      const hash = contentHash(model, cells)
      return `${hash}-${count(hash)}`
    }
    const value = cells.get(key)
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    if (text === '') throw new UsageError(`the column ${key} of --key is empty.`)
    if (text.length > LONGEST_KEY)
      throw new UsageError(`the key in the column ${key} is longer than ${LONGEST_KEY} characters.`)
    if (looksLikeAttempt(text)) throw new UsageError(`the key in the column ${key} has the control character U+001F.`)
    if (count(text) > 1)
      throw new UsageError(`the key ${text} is that of an earlier row than row ${row}. Keys are unique.`)
    return text
  }
}

/** The order of columns does not matter. */
function contentHash(model: string, cells: ReadonlyMap<string, unknown>): string {
  const sorted = [...cells].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([model, sorted]))
    .digest('hex')
    .slice(0, 32)
}
