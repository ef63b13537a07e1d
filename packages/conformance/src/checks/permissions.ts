import { ROUTES, routePath } from '@modelrun/contract'
import { type Check, check, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { BlockedError, every, type Finding, observe } from '../judge/finding.ts'
import { hasStatus, hasValue, rejectionOf, rejectionText } from '../judge/responses.ts'
import type { SpecialKey } from '../options.ts'
import { missingFor } from '../plan/missing.ts'
import { cancelJob, readJob } from '../session/jobs.ts'
import { probeRun } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { cancelledQueued } from './cancel-scenarios.ts'
import { firstPage, modelsOf } from './models-scenarios.ts'

const NO_MODELS_READ: readonly SpecialKey[] = ['without-models-read']
const NO_RUN: readonly SpecialKey[] = ['without-models-run', 'read-only']
const NO_JOBS_READ: readonly SpecialKey[] = ['without-jobs-read']
const NO_CANCEL: readonly SpecialKey[] = ['without-jobs-write', 'read-only']

const listRejected: Scenario<ApiResponse> = {
  id: 'list-rejected',
  keys: NO_MODELS_READ,
  perform: (session) => session.call({ path: ROUTES.listModels.path, key: session.key(NO_MODELS_READ) }),
}

const modelRejected: Scenario<ApiResponse> = {
  id: 'model-rejected',
  keys: NO_MODELS_READ,
  uses: [firstPage],
  perform: async (session) => {
    const list = await session.evidence(firstPage)
    const id = modelsOf(list)[0]?.id
    if (typeof id !== 'string') throw new BlockedError('the list of models is empty', list)
    return session.call({ path: routePath(ROUTES.getModel, { id }), key: session.key(NO_MODELS_READ) })
  },
}

const runRejected: Scenario<ApiResponse> = {
  id: 'run-rejected',
  keys: NO_RUN,
  runs: { main: 1 },
  perform: (session) => probeRun(session, 'main', { key: session.key(NO_RUN) }),
}

const jobRejected: Scenario<ApiResponse> = {
  id: 'job-rejected',
  keys: NO_JOBS_READ,
  uses: [cancelledQueued],
  perform: async (session) => readJob(session, await cancelledJobId(session), { key: session.key(NO_JOBS_READ) }),
}

const cancelRejected: Scenario<ApiResponse> = {
  id: 'cancel-rejected',
  keys: NO_CANCEL,
  uses: [cancelledQueued],
  perform: async (session) => cancelJob(session, await cancelledJobId(session), { key: session.key(NO_CANCEL) }),
}

const stillReads: Scenario<ApiResponse> = {
  id: 'still-reads',
  keys: NO_RUN,
  perform: (session) => session.call({ path: ROUTES.listModels.path, key: session.key(NO_RUN) }),
}

const runWithoutJobsWrite: Scenario<ApiResponse> = {
  id: 'run-without-jobs-write',
  keys: ['without-jobs-write'],
  runs: { main: 1 },
  perform: (session) => probeRun(session, 'main', { key: session.key(['without-jobs-write']) }),
}

const webhookWithoutManage: Scenario<ApiResponse> = {
  id: 'webhook-without-manage',
  keys: ['without-webhooks-manage'],
  runs: { main: 1 },
  receiver: true,
  perform: (session) => {
    const { url } = session.webhookEndpoints.open('accept')
    return probeRun(session, 'main', { webhook_url: url, key: session.key(['without-webhooks-manage']) })
  },
}

const emptyAccountRun: Scenario<ApiResponse> = {
  id: 'empty-account-run',
  keys: ['no-credits'],
  runs: { main: 1 },
  perform: (session) => probeRun(session, 'main', { key: session.key(['no-credits']) }),
}

/** Keys that lack a permission, or credits (sections 5 and 7). */
export const PERMISSIONS_CHECKS: readonly Check[] = [
  check('permissions/list-needs-models-read', listRejected, isForbidden),
  check('permissions/model-needs-models-read', modelRejected, isForbidden),
  check('permissions/run-needs-models-run', runRejected, isForbidden),
  check('permissions/job-needs-jobs-read', jobRejected, isForbidden),
  check('permissions/cancel-needs-jobs-write', cancelRejected, isForbidden),
  everyRejection('permissions/forbidden-code', (response) => hasValue(response, '/error/code', 'FORBIDDEN')),
  check('permissions/others-remain', stillReads, (response) => hasStatus(response, 200)),
  check('permissions/run-and-jobs-write', runWithoutJobsWrite, (response) =>
    observe(response.status === 403, `a run without jobs:write: ${rejectionText(response)}`, response),
  ),
  check('permissions/run-and-webhooks-manage', webhookWithoutManage, (response) =>
    observe(response.status === 403, `webhook_url without webhooks:manage: ${rejectionText(response)}`, response),
  ),
  check('permissions/no-credits', emptyAccountRun, (response) =>
    observe(rejectionOf(response), `a run without credits: ${rejectionText(response)}`, response),
  ),
]

function isForbidden(response: ApiResponse): Finding {
  return hasStatus(response, 403)
}

/** A check of the rejections of every key that was given. */
function everyRejection(id: string, judge: (response: ApiResponse) => Finding): Check {
  const scenarios = [listRejected, modelRejected, runRejected, jobRejected, cancelRejected]
  const gathered: Scenario<ApiResponse[]> = {
    id: `rejections-for-${id}`,
    mayUse: scenarios,
    perform: async (session) => {
      const possible = scenarios.filter((scenario) => missingFor(scenario, session.options) === undefined)
      const responses: ApiResponse[] = []
      for (const scenario of possible) responses.push(await session.evidence(scenario))
      return responses
    },
  }
  return check(id, gathered, (responses) => every(responses.map(judge), 'needs a key that lacks a permission'))
}

/** A job that has ended, so that nothing is at stake when a rejection does not come. */
async function cancelledJobId(session: Session): Promise<string> {
  return (await session.evidence(cancelledQueued)).after.jobId
}
