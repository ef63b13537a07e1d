import type { Assumptions } from '@modelrun/reference-server'
import { type OpenConnection, openInProcess } from './transports.ts'

/** For each behaviour that the specification leaves open, what the server does instead of its default. */
export const OTHER_BEHAVIOUR: Assumptions = {
  asyncRunStatus: 200,
  failedSyncRunStatus: 200,
  cancelledSyncRunStatus: 409,
  cancelAnswer: 'empty',
  cancelOfFinishedJob: 'unchanged',
  cancelledJobWebhook: 'sent',
  jobFields: 'full',
  invalidInputStatus: 422,
  unknownCategory: 'reject',
  limitAboveMaximum: 'clamp',
  runNeedsJobsWrite: true,
  requestIdHeader: 'none',
  queuedMs: 0,
}

/** The service as it may be too: with each behaviour in turn, and with all of them. What works there works anywhere. */
export const VARIANTS: readonly { name: string; open: OpenConnection }[] = [
  ...Object.entries(OTHER_BEHAVIOUR).map(([name, value]) => variant(`${name}: ${value}`, { [name]: value })),
  variant('every other behaviour', OTHER_BEHAVIOUR),
]

function variant(name: string, assumptions: Partial<Assumptions>): { name: string; open: OpenConnection } {
  return { name: `a service with ${name}`, open: (options) => openInProcess({ ...options, assumptions }) }
}
