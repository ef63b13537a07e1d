import type { Run, Runs } from '@modelrun/durable'
import { attemptKey } from './attempt-key.ts'
import type { BatchRow } from './batch-rows.ts'

/** A row at its latest attempt. Each attempt is a run of its own in the batch, and is sent at most once. */
export interface RowAttempt extends BatchRow {
  /** From 1. */
  attempt: number
  /** The key of the run of this attempt. */
  runKey: string
  /** Whether the attempt failed or was rejected, so that another one can follow. */
  isRetryable: boolean
}

function attemptOf(row: BatchRow, attempt: number): RowAttempt {
  const { row: number, key, input } = row
  return { row: number, key, input, attempt, runKey: attemptKey(key, attempt), isRetryable: false }
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
  let run = await runs.get(latest.runKey)
  while (isRetryable(run)) {
    const next = attemptOf(row, latest.attempt + 1)
    run = await runs.get(next.runKey)
    if (run === undefined) return { ...latest, isRetryable: true }
    latest = next
  }
  return latest
}

/**
 * The attempts that follow the failed and rejected ones. Nothing is stored: of two processes that retry the same row, both
 * find the same attempt.
 */
export function nextAttempts(attempts: readonly RowAttempt[]): RowAttempt[] {
  return attempts.map((latest) => (latest.isRetryable ? attemptOf(latest, latest.attempt + 1) : latest))
}

/** A run that is unknown may have been charged: it is not retried. */
function isRetryable(run: Run | undefined): boolean {
  return run?.state === 'failed' || run?.state === 'rejected'
}
