import type { RouteName } from '@modelrun/contract'
import type { Check, Scenario } from '../check.ts'
import { observe } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { keysAtJobs } from '../scenarios/keys.ts'
import { UNKNOWN_ID, unknownModel } from '../scenarios/reads.ts'
import { FIRST, wrongRuns } from '../scenarios/runs.ts'
import { cancelOfFinishedJob, cancelOfUnknownJob, noCredits, unknownJob } from '../scenarios/settings.ts'
import { jobStatus } from '../session/actions.ts'
import type { ApiCall } from './api-calls.ts'
import { judgeAll, observeFirst, only, type Source } from './judge-world.ts'
import { rejectionOf } from './rules.ts'
import { SHORTEST_HOLD_MS } from './run-times.ts'
import { endOf, isBefore, type JobStory, type RunCall, startOf } from './world.ts'

const CALLS: Source<ApiCall> = { from: [], pick: ({ calls }) => calls, nothing: 'it was not sent' }
const RUNS: Source<RunCall> = { from: [], pick: ({ runs }) => runs, nothing: 'no such run was accepted' }
const SENT: Source<RunCall> = { from: [], pick: ({ sentRuns }) => sentRuns, nothing: 'no such run was sent' }
const JOBS: Source<JobStory> = { from: [], pick: ({ jobs }) => jobs, nothing: 'there was no such job' }

const ASYNC = only({ ...RUNS, from: [FIRST.async] }, ({ mode }) => mode === 'async')
/** Synchronous runs that fail while they are held. */
const FAILING = only(
  { ...SENT, from: [FIRST.failing] },
  ({ shouldFail, mode, isOpen, response }) =>
    shouldFail && mode === 'sync' && !isOpen && response.durationMs < SHORTEST_HOLD_MS,
)
/** An asynchronous run that succeeds, polled from its start. */
const POLLED = only(
  { ...JOBS, from: [FIRST.async] },
  ({ run, outcome, cancels, end }) =>
    run.mode === 'async' && outcome === 'succeeded' && !cancels.some((cancel) => end && isBefore(cancel, end)),
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
const unknownJobAt = (route: RouteName, from: Scenario) =>
  only({ ...CALLS, from: [from] }, (call) => call.route === route && call.key.kind === 'full' && call.isOpen)
const rejectionIn = ({ response }: { response: ApiResponse }) => rejectionOf(response)
const acceptedOr = ({ response }: { response: ApiResponse }) =>
  isAccepted(response) ? 'accepted' : rejectionOf(response)
const DELIVERED = only(SENT, ({ endpoint }) => endpoint?.behavior === 'accept')

/**
 * What the specification leaves open and a client notices (sections 2.1, 3, 4, 5, 6 and 7). Each is named like the setting of the
 * reference server.
 */
export const SETTINGS: readonly Check[] = [
  observeFirst('settings/asyncRunStatus', ASYNC, ({ response }) => response.status),
  observeFirst('settings/failedSyncRunStatus', FAILING, ({ response }) => response.status),
  judgeAll('settings/queuedMs', POLLED, ([{ reads }]) => {
    const ms = queuedMs(reads)
    return observe(ms, `left the queue about ${ms} ms after the response`, reads)
  }),
  observeFirst('settings/cancelStatus', CANCELS, ({ response }) => response.status),
  observeFirst('settings/cancelOfFinishedJob', LATE_CANCELS, ({ response, after }) =>
    jobStatus(after) === 'succeeded' ? acceptedOr({ response }) : 'changed',
  ),
  observeFirst('settings/cancelOfUnknownJob', unknownJobAt('cancelJob', cancelOfUnknownJob), acceptedOr),
  observeFirst('settings/unknownJob', unknownJobAt('getJob', unknownJob), rejectionIn),
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
    only({ ...SENT, from: [noCredits] }, ({ key, response }) => key.kind === 'open' && response.status >= 400),
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
  judgeAll(
    'settings/cancelledJobWebhook',
    only(
      { ...JOBS, from: [FIRST.cancelledWebhook] },
      ({ run, outcome }) => run.endpoint !== undefined && outcome === 'cancelled',
    ),
    ([{ run, end }]) => {
      const deliveries = run.endpoint?.deliveries ?? []
      const detail = `${deliveries.length} deliveries for a cancelled job`
      return observe(deliveries.length > 0 ? 'sent' : 'none', detail, [end ?? [], deliveries].flat())
    },
  ),
  judgeAll(
    'settings/deliveriesOfOneResult',
    only(
      { ...DELIVERED, from: [FIRST.webhook] },
      ({ endpoint }) => (endpoint?.deliveries.length ?? 0) > 0,
      'no delivery came',
    ),
    ([{ endpoint }]) => {
      const deliveries = endpoint?.deliveries ?? []
      return observe(deliveries.length, `a result was delivered ${deliveries.length} times`, deliveries)
    },
  ),
]

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

/** Between the last read that showed the queue and the first that did not. */
function queuedMs(reads: readonly ApiResponse[]): number {
  const left = reads.findIndex((read) => jobStatus(read) !== 'queued')
  const [first, before, after] = [reads[0], reads[left - 1], reads[left]]
  if (first === undefined || before === undefined || after === undefined) return 0
  return Math.round((endOf(before) + endOf(after)) / 2 - startOf(first.exchange))
}
