import { type Check, check, defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { isRecord, show } from '../json.ts'
import { BlockedError, observe, skip } from '../judge/finding.ts'
import { rejectionOf, rejectionText } from '../judge/responses.ts'
import { cancelJob, jobIdOf, jobStatus, pollJob, readJob } from '../session/jobs.ts'
import { cancelRunning, startRun } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { UNKNOWN_ID } from './details.ts'
import { defaultRunJob } from './runs.ts'

/** A cancel right after an asynchronous run. */
export const cancelledQueued = defineScenario('cancelled-queued', { runs: { longest: 0 } }, (session) =>
  startRun(session, 'longest', { sync: false }).then((started) => cancelRunning(session, started)),
)

/** A cancel once the job is seen to be processed. A slow one has time to reject cancels with wrong keys before. */
export const cancelledProcessing = defineScenario('cancelled-processing', { runs: { longest: 0 } }, async (session) => {
  const started = await startRun(session, 'longest', { sync: false })
  const isProcessing = (response: ApiResponse) => jobStatus(response) === 'processing'
  const { last } = await pollJob(session, jobIdOf(started), { until: isProcessing })
  if (!isProcessing(last)) throw new BlockedError('the job was never seen in processing; give a slow model', last)
  if (session.options.models.slow !== undefined) await cancelWithWrongKeys(session, jobIdOf(started))
  return cancelRunning(session, started)
})

/** The read afterwards shows whether they did something. */
async function cancelWithWrongKeys(session: Session, jobId: string): Promise<void> {
  await cancelJob(session, jobId, { authorization: null })
  const lacking = session.options.keys['without-jobs-write'] ?? session.options.keys['read-only']
  if (lacking !== undefined) await cancelJob(session, jobId, { key: lacking })
  await readJob(session, jobId)
}

/** A second cancel of the job that was cancelled. */
const cancelledTwice = defineScenario('cancelled-twice', { uses: [cancelledQueued] }, async (session) =>
  cancelJob(session, jobIdOf((await session.evidence(cancelledQueued)).response)),
)

/** A cancel of a job that has succeeded. */
const cancelledFinished = defineScenario(
  'cancelled-finished',
  { writes: true, uses: [defaultRunJob] },
  async (session) => {
    const { polled } = await session.evidence(defaultRunJob)
    const cancel = await cancelJob(session, polled.jobId)
    return { cancel, before: polled, after: await readJob(session, polled.jobId) }
  },
)

const cancelledUnknown = defineScenario('cancelled-unknown', { writes: true }, (session) =>
  cancelJob(session, UNKNOWN_ID, { isOpen: true }),
)

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
