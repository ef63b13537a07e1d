import type { Run } from '@modelrun/durable'
import { cleanText } from '../terminal/clean-text.ts'
import type { RowAttempt } from './row-attempts.ts'

/** How a row ended. */
export interface RowEnd {
  row: number
  key: string
  /** `unsaved`: it succeeded, and its files could not be fetched. */
  state: 'succeeded' | 'unsaved' | 'failed' | 'rejected' | 'unknown'
  job_id: string | undefined
  /** Paths of its files. */
  files: readonly string[]
  /** Where the service has them. */
  urls: readonly string[]
  /** Its price. Undefined where it is not known whether it was charged. */
  credits: number | undefined
  /** 1 for a row that was never retried. */
  attempt: number
  error?: string | undefined
  /** The row as it stands in the file. */
  input: Readonly<Record<string, unknown>>
}

/** What every end has of its row. */
export function endOf({ row, key, attempt, cells }: RowAttempt, job_id: string | undefined) {
  return { row, key, job_id, attempt, input: Object.fromEntries(cells) }
}

/** How a row ended that has no result. */
export function failedRow(row: RowAttempt, run: Run): RowEnd {
  const state = stateOf(run)
  const credits = state === 'rejected' ? 0 : undefined
  return { ...endOf(row, run.jobId), state, files: [], urls: [], credits, error: cleanText(reasonOf(run)) }
}

function stateOf({ state, jobId }: Run): 'failed' | 'rejected' | 'unknown' {
  if (state === 'rejected' || state === 'unknown') return state
  // A run that was cancelled before it was sent has no job.
  return jobId === undefined ? 'rejected' : 'failed'
}

/** In the words of the service, or of the command line: messages of the client are for programs. */
function reasonOf({ state, jobId, error }: Run): string {
  const { code = 'UNKNOWN', message = 'The service gave no reason.' } = error ?? {}
  if (state === 'cancelled' && jobId !== undefined) return 'its job was cancelled'
  if (state === 'failed') return `${code}: ${message}`
  if (state !== 'unknown') return message
  if (jobId !== undefined) return 'the service has no such job for this key, or did not say how it ended'
  if (code === 'process_died') return 'the process ended while it was sent'
  return 'the connection ended while it was sent'
}
