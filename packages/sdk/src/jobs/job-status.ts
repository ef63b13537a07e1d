import { type Job, TERMINAL_JOB_STATUSES } from '@modelrun/contract'

/** True for a job that has ended. An unknown status counts as not finished (section 3). */
export function isFinished(job: Job): boolean {
  return isFinishedStatus(job.status)
}

/** True for a status that a job never leaves. An unknown one counts as not finished (section 3). */
export function isFinishedStatus(status: string): boolean {
  return (TERMINAL_JOB_STATUSES as readonly string[]).includes(asKnownStatus(status))
}

/**
 * The service has two words for one outcome, `completed` and `succeeded` (section 3). Both become `succeeded` here, in
 * every response and delivery: a client that waited for the other word would lose a paid result.
 */
export function asKnownStatus(status: string): string {
  return status === 'completed' ? 'succeeded' : status
}

/** The same value with the status of {@link asKnownStatus}. A value without a status is returned unchanged. */
export function withKnownStatus<T>(value: T): T {
  const status: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'status') : undefined
  return status === 'completed' ? { ...value, status: asKnownStatus(status) } : value
}
