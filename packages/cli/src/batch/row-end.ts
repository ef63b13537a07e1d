import type { SettledRun } from 'modelrun'
import { isClientError } from '../errors/report-error.ts'
import { cleanText } from '../terminal/clean-text.ts'
import type { RowAttempt } from './row-attempts.ts'

/** How a row ended. */
export interface RowEnd {
  row: number
  key: string
  /** `unsaved`: it succeeded, and its files could not be fetched. */
  state: 'succeeded' | 'unsaved' | 'failed' | 'rejected' | 'unknown'
  job_id: string | undefined
  files: readonly string[]
  /** 1 for a row that was never retried. */
  attempt: number
  error?: string | undefined
}

/** How a row ended that has no result. */
export function failedRow({ row, key, attempt }: RowAttempt, run: SettledRun<object> & { status: 'rejected' }): RowEnd {
  const { reason, job_id } = run
  const error = cleanText(reason instanceof Error ? reason.message : String(reason))
  return { row, key, job_id, state: stateOf(reason), files: [], attempt, error }
}

function stateOf(reason: unknown): RowEnd['state'] {
  if (!isClientError(reason)) return 'unknown'
  if (reason.code === 'job_failed' || reason.code === 'job_cancelled') return 'failed'
  return reason.submission === 'rejected' || reason.submission === 'not_sent' ? 'rejected' : 'unknown'
}
