import { type Check, check } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, show } from '../json.ts'
import { every, type Finding, judge, observe, skip } from '../judge/finding.ts'
import { rejectionOf, rejectionText } from '../judge/responses.ts'
import { jobStatus } from '../session/jobs.ts'
import type { CancelledRun } from '../session/runs.ts'
import {
  cancelledFinished,
  cancelledLongAgo,
  cancelledProcessing,
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
  // First, as it cancels the queued job below while its own continues.
  check('cancel/processing-is-cancelled', cancelledProcessing, isCancelled),
  check('cancel/queued-is-cancelled', cancelledQueued, isCancelled),
  check('cancel/rejected-does-nothing', cancelledProcessing, ({ disturbed }) => {
    if (disturbed === undefined) return skip(NEEDS_TIME)
    const { rejected, afterRejected } = disturbed
    return goesOn(
      afterRejected,
      `cancels that were rejected with ${rejected.map(({ status }) => status).join(' and ')}`,
    )
  }),
  check('cancel/that-job-only', cancelledProcessing, ({ disturbed }) =>
    disturbed === undefined ? skip(NEEDS_TIME) : goesOn(disturbed.afterOther, 'the cancel of another job'),
  ),
  check('cancel/not-charged', chargeOfCancelledQueued, isFree),
  check('cancel/processing-not-charged', chargeOfCancelledProcessing, isFree),
  check('cancel/no-credits-shown', cancelledQueued, showsNoCredits),
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

function isCancelled({ cancel, after: { last } }: CancelledRun): Finding {
  const status = jobStatus(last)
  const isRight = cancel.status < 300 && status === 'cancelled'
  return judge(isRight, `the cancel is responded with ${rejectionText(cancel)}; the job is ${show(status)}`, [
    cancel,
    last,
  ])
}

/** The cancelled jobs at the end of the suite. */
export const LATE_CANCEL_CHECKS: readonly Check[] = [
  check('cancel/stays-cancelled', cancelledLongAgo, ({ reads }) =>
    every(reads.map((read) => judge(isReadAs(read, 'cancelled'), `later the job is ${show(jobStatus(read))}`, read))),
  ),
  check('cancel/not-charged-later', chargeOfCancelledLater, isFree),
]

const NEEDS_TIME = 'needs a slow model, one that takes longer than 55 s'

function isReadAs(read: ApiResponse, status: string): boolean {
  return read.status < 300 && jobStatus(read) === status
}

/** Judges that a job was not cancelled by something else. */
function goesOn(read: ApiResponse, what: string): Finding {
  const status = jobStatus(read)
  if (status === 'succeeded' || status === 'failed') return skip(`the job was ${status} too early`, read)
  const isRight = isReadAs(read, 'queued') || isReadAs(read, 'processing')
  return judge(isRight, `after ${what}, the job is ${show(status)}; expected that it continues`, read)
}

function isFree({ before, after, creditsPerRun, responses }: RunCharge): Finding {
  if (creditsPerRun === 0) return skip('the model costs nothing', responses)
  return judge(before === after, `${before} credits before, ${after} after`, responses)
}

function showsNoCredits({ cancel, after: { last } }: CancelledRun): Finding {
  const shown = [cancel, last].flatMap((response) =>
    ['/credits_used', '/data/credits_used'].map((pointer) => ({
      response,
      pointer,
      value: at(response.json, pointer),
    })),
  )
  const findings = shown
    .filter(({ value }) => value !== undefined && value !== null)
    .map(({ response, pointer, value }) => judge(value === 0, `${pointer} is ${show(value)}; expected 0`, response))
  return every(findings, 'neither the cancel nor the job shows credits')
}
