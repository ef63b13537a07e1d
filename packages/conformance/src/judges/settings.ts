import type { Check } from '../check.ts'
import type { ApiResponse } from '../http/caller.ts'
import { keysAtJobs } from '../scenarios/keys.ts'
import { UNKNOWN_ID, unknownModel } from '../scenarios/reads.ts'
import { FIRST, wrongRuns } from '../scenarios/runs.ts'
import { cancelOfFinishedJob, unknownJob } from '../scenarios/settings.ts'
import { jobStatus } from '../session/actions.ts'
import type { ApiCall } from './api-calls.ts'
import { observeFirst, only, type Source } from './judge-world.ts'
import { rejectionOf } from './rules.ts'
import { SHORTEST_HOLD_MS } from './run-times.ts'
import { isBefore, type JobStory, jobOf, type RunCall } from './world.ts'

const CALLS: Source<ApiCall> = { from: [], pick: ({ calls }) => calls, nothing: 'it was not sent' }
const SENT: Source<RunCall> = { from: [], pick: ({ sentRuns }) => sentRuns, nothing: 'no such run was sent' }

const ASYNC = only({ ...SENT, from: [FIRST.async] }, (run, { runs }) => run.mode === 'async' && runs.includes(run))
/** Synchronous runs that fail while they are held. */
const FAILING = only(
  { ...SENT, from: [FIRST.failing] },
  ({ shouldFail, mode, isOpen, response }) =>
    shouldFail && mode === 'sync' && !isOpen && response.durationMs < SHORTEST_HOLD_MS,
)
const CANCELS: Source<{ response: ApiResponse }> = {
  from: [FIRST.cancelled],
  pick: ({ jobs }) => jobs.flatMap(({ cancels }) => cancels.filter(isAccepted).map((response) => ({ response }))),
  nothing: 'no cancel was accepted',
}
/** Cancels of jobs that have succeeded, each with the poll after it. */
const LATE_CANCELS: Source<{ response: ApiResponse; after: ApiResponse }> = {
  from: [cancelOfFinishedJob],
  pick: ({ jobs }) => jobs.flatMap(lateCancelsOf),
  nothing: 'no job has succeeded',
}
/** Requests for a job that is not there are the only open ones with all permissions. */
const UNKNOWN_JOB = only(
  { ...CALLS, from: [unknownJob] },
  ({ route, key, isOpen }) => route === 'getJob' && key.kind === 'full' && isOpen,
)
const rejectionIn = ({ response }: { response: ApiResponse }) => rejectionOf(response)

/**
 * What the specification leaves open and a client notices (sections 2.1, 3, 4, 5, 6 and 7). Each is named like the setting of the
 * reference server.
 */
export const SETTINGS: readonly Check[] = [
  observeFirst('settings/asyncRunStatus', ASYNC, ({ response }) => response.status),
  observeFirst('settings/failedSyncRunStatus', FAILING, ({ response }) => response.status),
  observeFirst('settings/cancelStatus', CANCELS, ({ response }) => response.status),
  observeFirst('settings/cancelOfFinishedJob', LATE_CANCELS, ({ response, after }) => {
    if (jobStatus(after) !== 'succeeded') return 'changed'
    return isAccepted(response) ? 'accepted' : rejectionOf(response)
  }),
  observeFirst('settings/unknownJob', UNKNOWN_JOB, rejectionIn),
  observeFirst(
    'settings/unknownModel',
    only({ ...CALLS, from: [unknownModel] }, ({ route, id }) => route === 'getModel' && id === UNKNOWN_ID),
    rejectionIn,
  ),
  observeFirst(
    'settings/wrongRequest',
    only(
      { ...SENT, from: [wrongRuns] },
      ({ violation, response }) => violation !== undefined && violation.rule !== 'model' && response.status >= 400,
    ),
    rejectionIn,
  ),
  observeFirst(
    'settings/insufficientCredits',
    only({ ...SENT, from: [keysAtJobs] }, ({ key, response }) => key.name === 'no-credits' && response.status >= 400),
    rejectionIn,
  ),
  observeFirst(
    'settings/webhookNeedsManage',
    only(
      { ...SENT, from: [keysAtJobs] },
      ({ key, hasWebhook }) => key.name === 'without-webhooks-manage' && hasWebhook,
    ),
    ({ response }) => response.status === 403,
  ),
  observeFirst(
    'settings/cancelledJobWebhook',
    only(
      { ...SENT, from: [FIRST.cancelledWebhook] },
      (run, world) => run.endpoint !== undefined && jobOf(run, world)?.outcome === 'cancelled',
    ),
    ({ endpoint }) => (deliveriesTo(endpoint) > 0 ? 'sent' : 'none'),
  ),
  observeFirst(
    'settings/deliveriesOfOneResult',
    only(
      { ...SENT, from: [FIRST.webhook] },
      ({ endpoint }) => endpoint?.behavior === 'accept' && deliveriesTo(endpoint) > 0,
      'no delivery came',
    ),
    ({ endpoint }) => deliveriesTo(endpoint),
  ),
]

function deliveriesTo(endpoint: RunCall['endpoint']): number {
  return endpoint?.deliveries.length ?? 0
}

function isAccepted({ status }: ApiResponse): boolean {
  return status < 300
}

function lateCancelsOf({ outcome, end, cancels, reads }: JobStory) {
  return cancels.flatMap((response) => {
    const after = reads.find((read) => isBefore(response, read))
    const isLate = outcome === 'succeeded' && end !== undefined && isBefore(end, response)
    return isLate && after !== undefined ? [{ response, after }] : []
  })
}
