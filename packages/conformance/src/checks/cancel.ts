import { type Check, check } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { isRecord, show } from '../json.ts'
import { every, type Finding, judge, observe, skip } from '../judge/finding.ts'
import { rejectionOf, rejectionText } from '../judge/responses.ts'
import { jobStatus } from '../session/jobs.ts'
import {
  cancelledFinished,
  cancelledLongAgo,
  cancelledQueued,
  cancelledTwice,
  cancelledUnknown,
} from './cancel-scenarios.ts'
import {
  chargeOfCancelledLater,
  chargeOfCancelledProcessing,
  chargeOfCancelledQueued,
  type RunCharge,
} from './charges.ts'

/** Cancels (sections 1, 3 and 4.5). */
export const CANCEL_CHECKS: readonly Check[] = [
  check('cancel/not-charged', chargeOfCancelledQueued, isFree),
  check('cancel/processing-not-charged', chargeOfCancelledProcessing, isFree),
  check('cancel/response', cancelledQueued, ({ cancel }) => {
    if (cancel.status >= 300) return skip(`the cancel was rejected: ${rejectionText(cancel)}`, cancel)
    const members = pointersOf(cancel.json)
    return observe(members, `status ${cancel.status} with ${members.length === 0 ? 'no body' : show(members)}`, cancel)
  }),
  check('cancel/response-status', cancelledQueued, ({ cancel }) =>
    observe(cancel.status, `status ${cancel.status}`, cancel),
  ),
  check('cancel/finished', cancelledFinished, ({ cancel, before, after }) => {
    if (jobStatus(before.last) !== 'succeeded') return skip('the job had not succeeded', [before.last])
    const observation = jobStatus(after) === 'succeeded' ? responseToIneffectiveCancel(cancel) : 'changed'
    return observe(observation, `${rejectionText(cancel)}; then the job is ${show(jobStatus(after))}`, [cancel, after])
  }),
  check('cancel/twice', cancelledTwice, (cancel) =>
    observe(responseToIneffectiveCancel(cancel), rejectionText(cancel), cancel),
  ),
  check('cancel/unknown-job', cancelledUnknown, (cancel) =>
    observe(responseToIneffectiveCancel(cancel), rejectionText(cancel), cancel),
  ),
]

/** A cancel that changes nothing: an error, or a success with members of its own. */
function responseToIneffectiveCancel(cancel: ApiResponse) {
  return cancel.status >= 400 ? rejectionOf(cancel) : { ...rejectionOf(cancel), fields: pointersOf(cancel.json) }
}

/** Where the values of a body are, as JSON pointers. */
function pointersOf(value: unknown, parent = ''): string[] {
  if (!isRecord(value)) return parent === '' ? [] : [parent]
  return Object.entries(value).flatMap(([name, member]) => pointersOf(member, `${parent}/${name}`))
}

/** The cancelled jobs at the end of the suite. */
export const LATE_CANCEL_CHECKS: readonly Check[] = [
  check('cancel/stays-cancelled', cancelledLongAgo, ({ reads }) =>
    every(reads.map((read) => judge(isReadAs(read, 'cancelled'), `later the job is ${show(jobStatus(read))}`, read))),
  ),
  check('cancel/not-charged-later', chargeOfCancelledLater, isFree),
]

function isReadAs(read: ApiResponse, status: string): boolean {
  return read.status < 300 && jobStatus(read) === status
}

function isFree({ before, after, creditsPerRun, responses }: RunCharge): Finding {
  if (creditsPerRun === 0) return skip('the model costs nothing', responses)
  return judge(after >= before, `${before} credits before, ${after} after`, responses)
}
