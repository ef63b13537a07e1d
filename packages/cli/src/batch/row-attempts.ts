import type { Run, Runs } from '@modelrun/durable'
import type { RunInput } from '../run/check-input.ts'
import { attemptKey } from './attempt-key.ts'
import { type BatchRow, failWith, type RowRules } from './batch-rows.ts'
import { rowContent } from './row-content.ts'

/** A row at its latest attempt. Each attempt is a run of its own in the batch, and is sent at most once. */
export interface RowAttempt extends BatchRow {
  /** From 1. */
  attempt: number
  /** The key of the run of this attempt. */
  runKey: string
  /** The run of this attempt, when it was added before. */
  run: Run | undefined
}

/** The input of the run: that of the batch, which may be another spelling of the row. */
export function inputToRun({ run, input }: RowAttempt): Readonly<RunInput> {
  return run?.input ?? input
}

/** Whether the attempt ended without a result and was not charged for one, so that another one can follow. */
function isRetryable(run: Run | undefined): boolean {
  return run !== undefined && !['waiting', 'running', 'succeeded', 'unknown'].includes(run.state)
}

/**
 * The latest attempt of each row. The number is read from the batch: an attempt follows only one that did not succeed.
 *
 * @throws UsageError for keys that name another run
 */
export async function findAttempts(runs: Runs, rows: readonly BatchRow[], rules: RowRules): Promise<RowAttempt[]> {
  const found: RowAttempt[] = []
  for (const row of rows) found.push(await findAttempt(runs, row))
  if (rules.key === undefined) return found
  const problems = found.filter((row) => isChanged(row, rules)).map(({ row, key }) => `row ${row}, with the key ${key}`)
  failWith({
    sentence: 'These rows were run with another input or model. Nothing was sent.',
    problems,
    unit: 'rows',
    advice: 'Give such a row a new key to pay for a new run, or the input that it had.',
  })
  return found
}

async function findAttempt(runs: Runs, row: BatchRow): Promise<RowAttempt> {
  for (let attempt = 1; ; attempt++) {
    const runKey = attemptKey(row.key, attempt)
    const run = await runs.get(runKey)
    const mayHaveNext = isRetryable(run) || run?.state === 'unknown'
    const hasNext = mayHaveNext && (await runs.get(attemptKey(row.key, attempt + 1))) !== undefined
    if (!hasNext) return { ...row, attempt, runKey, run }
  }
}

/** A row that failed or was rejected may be corrected. */
function isChanged({ run, input }: RowAttempt, { model, schema }: RowRules): boolean {
  if (run === undefined || isRetryable(run)) return false
  return run.model !== model || rowContent(run.input, schema) !== rowContent(input, schema)
}

/** The rows that the user wants to run once more. */
export interface WantedAttempts {
  retryFailed?: boolean | undefined
  resubmitUnknown?: boolean | undefined
}

/**
 * The attempts that follow those which did not succeed, where they are wanted. Nothing is stored: of two processes that want the
 * same row, both find the same attempt.
 */
export function nextAttempts(attempts: readonly RowAttempt[], wanted: WantedAttempts): RowAttempt[] {
  return attempts.map((latest) => {
    const { run } = latest
    const isWanted = run?.state === 'unknown' ? wanted.resubmitUnknown : wanted.retryFailed && isRetryable(run)
    if (!isWanted) return latest
    const attempt = latest.attempt + 1
    return { ...latest, attempt, runKey: attemptKey(latest.key, attempt), run: undefined }
  })
}
