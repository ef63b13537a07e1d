import { type Check, check } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { isRecord, show } from '../json.ts'
import { observe, skip } from '../judge/finding.ts'
import { rejectionOf, rejectionText } from '../judge/responses.ts'
import { jobStatus } from '../session/jobs.ts'
import { cancelledFinished, cancelledQueued, cancelledTwice, cancelledUnknown } from './cancel-scenarios.ts'

/** Cancels (sections 1, 3 and 4.5). */
export const CANCEL_CHECKS: readonly Check[] = [
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
