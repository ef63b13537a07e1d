import type { Assumptions } from '@modelrun/contract/assumptions'
import { type OpenConnection, openInProcess } from './transports.ts'

/** For each behaviour that the specification leaves open, what the server does instead of its default. */
const OTHER_BEHAVIOUR: Assumptions = {
  creditsOfFailedRun: 'price',
  queuedMs: 0,
  cancelOfFinishedJob: 'accepted',
  asyncRunStatus: 200,
  failedSyncRunStatus: 200,
  cancelStatus: 204,
  cancelOfUnknownJob: 'accepted',
  webhookNeedsManage: true,
  cancelledJobWebhook: 'sent',
  deliveriesOfOneResult: 2,
  unknownModel: { status: 422, code: 'UNKNOWN_MODEL' },
  unknownJob: { status: 410, code: 'GONE' },
  wrongRequest: { status: 422, code: 'VALIDATION_ERROR' },
  insufficientCredits: { status: 403, code: 'NO_CREDITS' },
}

/** The service as it may be too: with each behaviour in turn, and with all of them. What works there works anywhere. */
export const VARIANTS: readonly { name: string; open: OpenConnection }[] = [
  ...Object.entries(OTHER_BEHAVIOUR).map(([name, value]) =>
    variant(`${name}: ${JSON.stringify(value)}`, { [name]: value }),
  ),
  variant('every other behaviour', OTHER_BEHAVIOUR),
]

function variant(name: string, assumptions: Partial<Assumptions>): { name: string; open: OpenConnection } {
  return { name: `a service with ${name}`, open: (options) => openInProcess({ ...options, assumptions }) }
}
