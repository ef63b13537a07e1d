import type { Run, Runs } from '@modelrun/durable'
import { attemptKey } from './attempt-key.ts'
import type { BatchRow } from './batch-rows.ts'

/** A row at its latest attempt. Each attempt is a run of its own in the batch, and is sent at most once. */
export interface RowAttempt extends BatchRow {
  /** From 1. */
  attempt: number
  /** The key of the run of this attempt. */
  runKey: string
}

function attemptOf(row: BatchRow, attempt: number): RowAttempt {
  const { row: number, key, input } = row
  return { row: number, key, input, attempt, runKey: attemptKey(key, attempt) }
}

/**
 * The latest attempt of each row. The number is read from the batch: an attempt follows only one that did not succeed.
 */
export async function findAttempts(runs: Runs, rows: readonly BatchRow[]): Promise<RowAttempt[]> {
  const found: RowAttempt[] = []
  for (const row of rows) found.push(await findAttempt(runs, row))
  return found
}

async function findAttempt(runs: Runs, row: BatchRow): Promise<RowAttempt> {
  let latest = attemptOf(row, 1)
  while (isRetryable(await runs.get(latest.runKey))) {
    const next = attemptOf(row, latest.attempt + 1)
    if ((await runs.get(next.runKey)) === undefined) break
    latest = next
  }
  return latest
}

/**
 * The attempts that follow the failed and rejected ones. Nothing is stored: of two processes that retry the same row, both
 * find the same attempt.
 */
export async function nextAttempts(runs: Runs, attempts: readonly RowAttempt[]): Promise<RowAttempt[]> {
  const next: RowAttempt[] = []
  for (const one of attempts) {
    next.push(isRetryable(await runs.get(one.runKey)) ? attemptOf(one, one.attempt + 1) : one)
  }
  return next
}

/** A run that is unknown may have been charged: it is not retried. */
function isRetryable(run: Run | undefined): boolean {
  return run?.state === 'failed' || run?.state === 'rejected'
}
