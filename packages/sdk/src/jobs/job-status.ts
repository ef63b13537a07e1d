import { TERMINAL_JOB_STATUSES } from '@modelrun/contract'

/** True for a status that a job never leaves. An unknown one counts as not finished (section 3). */
export function isFinishedStatus(status: string): boolean {
  return (TERMINAL_JOB_STATUSES as readonly string[]).includes(asKnownStatus(status))
}

/**
 * The service has two words for one outcome, `completed` and `succeeded` (section 3). Whichever word comes, and wherever:
 * a client that waited for the other one would lose a paid result. Here both read `succeeded`.
 */
export function asKnownStatus(status: string): string {
  return status === 'completed' ? 'succeeded' : status
}

/** The same value with its status read by {@link asKnownStatus}; a value without a status is returned as it is. */
export function withKnownStatus<T>(value: T): T {
  const status: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'status') : undefined
  return status === 'completed' ? { ...value, status: asKnownStatus(status) } : value
}
