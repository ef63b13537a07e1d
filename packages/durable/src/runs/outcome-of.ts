import type { Job } from 'modelrun'
import type { Outcome } from './run-types.ts'

/** How a run ended, by what a poll or a delivery says of its job; `undefined` while the job has not ended. */
export function outcomeOf(jobId: string, { status, output, error }: Job): Outcome | undefined {
  if (status === 'succeeded' && output !== undefined) return { state: 'succeeded', jobId, output }
  if (status === 'failed') {
    const { code = 'UNKNOWN', message = 'The service gave no reason.' } = error ?? {}
    return { state: 'failed', jobId, error: { code, message } }
  }
  if (status !== 'cancelled') return undefined
  return { state: 'failed', jobId, error: { code: 'CANCELLED', message: 'The job was cancelled.' } }
}
