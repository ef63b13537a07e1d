import type { ErrorDetail, Job, Output } from '@modelrun/contract'
import { stringIn } from '@modelrun/kit'
import { asKnownStatus } from '../http/read-response.ts'

export { isEnded } from './job-operations.ts'

/** Whether a job has succeeded; its `output` is there then. A status is a string that may be new, so it does not narrow by itself. */
export function isSucceeded<State extends Job>(job: State): job is State & { status: 'succeeded'; output: Output } {
  return asKnownStatus(job.status) === 'succeeded' && Array.isArray(job.output?.items)
}

/** Whether a job has failed; its `error` is there then. */
export function isFailed<State extends Job>(job: State): job is State & { status: 'failed'; error: ErrorDetail } {
  return job.status === 'failed' && stringIn(job.error, 'message') !== undefined
}
