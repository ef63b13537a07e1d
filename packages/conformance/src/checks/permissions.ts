import { type Permission, ROUTES, type RouteName, routePath } from '@modelrun/contract'
import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { BlockedError, every, type Finding, judge, observe } from '../judge/finding.ts'
import { hasStatus, hasValue, rejectionOf, rejectionText } from '../judge/responses.ts'
import type { SpecialKey } from '../options.ts'
import { possibleEvidence } from '../plan/missing.ts'
import { cancelJob, readJob } from '../session/jobs.ts'
import { probeRun } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { listWith, withKey } from './auth.ts'
import { cancelledQueued } from './cancel-scenarios.ts'
import { firstPage, modelsOf } from './models-scenarios.ts'

type Call = (session: Session, key: string) => Promise<ApiResponse>

const viewWith: Call = async (session, key) => {
  const list = await session.evidence(firstPage)
  const id = modelsOf(list)[0]?.id
  if (typeof id !== 'string') throw new BlockedError('the list of models is empty', list)
  return session.call({ path: routePath(ROUTES.getModel, { id }), key })
}
const runWith: Call = (session, key) => probeRun(session, 'main', { key })
const readWith: Call = async (session, key) => readJob(session, await cancelledJobId(session), { key })
const cancelWith: Call = async (session, key) => cancelJob(session, await cancelledJobId(session), { key })

/** A job that has ended, so that nothing is at stake when a rejection does not come. */
async function cancelledJobId(session: Session): Promise<string> {
  return (await session.evidence(cancelledQueued)).after.jobId
}

const NO_RUN: readonly SpecialKey[] = ['without-models-run', 'read-only']

const listRejected = withKey('list-rejected', { keys: ['without-models-read'] }, listWith)
const modelRejected = withKey('model-rejected', { keys: ['without-models-read'], uses: [firstPage] }, viewWith)
const runRejected = withKey('run-rejected', { keys: NO_RUN, runs: { main: 1 } }, runWith)
const jobRejected = withKey('job-rejected', { keys: ['without-jobs-read'], uses: [cancelledQueued] }, readWith)
const cancelRejected = withKey(
  'cancel-rejected',
  { keys: ['without-jobs-write', 'read-only'], uses: [cancelledQueued] },
  cancelWith,
)
const REJECTED = [listRejected, modelRejected, runRejected, jobRejected, cancelRejected]

/** The rejections of every key that was given. */
const allRejected = defineScenario('permissions-rejected', { mayUse: REJECTED }, (session) =>
  possibleEvidence(session, REJECTED),
)

const stillReads = withKey('still-reads', { keys: NO_RUN }, listWith)
const runWithoutJobsWrite = withKey(
  'run-without-jobs-write',
  { keys: ['without-jobs-write'], runs: { main: 1 } },
  runWith,
)
const webhookWithoutManage = withKey(
  'webhook-without-manage',
  { keys: ['without-webhooks-manage'], runs: { main: 1 }, receiver: true },
  (session, key) => probeRun(session, 'main', { webhook_url: session.webhookEndpoints.open('accept').url, key }),
)
const emptyAccountRun = withKey('empty-account-run', { keys: ['no-credits'], runs: { main: 1 } }, runWith)

/** Keys that lack one permission each. */
const LACKING = {
  'models:read': 'without-models-read',
  'models:run': 'without-models-run',
  'jobs:read': 'without-jobs-read',
  'jobs:write': 'without-jobs-write',
  'webhooks:manage': 'without-webhooks-manage',
} as const satisfies Record<Permission, SpecialKey>

/** The response to a key that lacks a permission. */
interface Allowed {
  permission: Permission
  response: ApiResponse
}

/** An endpoint with each key that lacks a permission which the endpoint does not need. */
function withOthers(route: RouteName, call: Call, needs: Partial<Scenario<unknown>> = {}): Scenario<Allowed[]> {
  const permissions = permissionsBeside(route)
  const keys = permissions.map((permission) => LACKING[permission])
  return defineScenario(`${route}-with-others`, { ...needs, keys }, async (session) => {
    const responses: Allowed[] = []
    for (const permission of permissions) {
      const key = session.options.keys[LACKING[permission]]
      if (key !== undefined) responses.push({ permission, response: await call(session, key) })
    }
    return responses
  })
}

/** Whether a run needs `jobs:write` is open: running creates a job. */
function permissionsBeside(route: RouteName): Permission[] {
  const needed: readonly Permission[] = [
    ROUTES[route].permission,
    ...(route === 'runModel' ? ['jobs:write' as const] : []),
  ]
  // The keys of the record are its type's.
  return (Object.keys(LACKING) as Permission[]).filter((permission) => !needed.includes(permission))
}

/** Keys that lack a permission, or credits (sections 5 and 7). */
export const PERMISSIONS_CHECKS: readonly Check[] = [
  check('permissions/list-needs-models-read', listRejected, isForbidden),
  check('permissions/model-needs-models-read', modelRejected, isForbidden),
  check('permissions/run-needs-models-run', runRejected, isForbidden),
  check('permissions/job-needs-jobs-read', jobRejected, isForbidden),
  check('permissions/cancel-needs-jobs-write', cancelRejected, isForbidden),
  check('permissions/forbidden-code', allRejected, (responses) =>
    every(
      responses.map((response) => hasValue(response, '/error/code', 'FORBIDDEN')),
      'needs a key that lacks a permission',
    ),
  ),
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
  // What a key may do that lacks another permission (section 5.4).
  check('permissions/others-list', withOthers('listModels', listWith), areAllowed),
  check('permissions/others-view', withOthers('getModel', viewWith, { uses: [firstPage] }), areAllowed),
  check('permissions/others-run', withOthers('runModel', runWith, { runs: { main: 3 } }), areAllowed),
  check('permissions/others-read', withOthers('getJob', readWith, { uses: [cancelledQueued] }), areAllowed),
  check('permissions/others-cancel', withOthers('cancelJob', cancelWith, { uses: [cancelledQueued] }), areAllowed),
]

function isForbidden(response: ApiResponse): Finding {
  return hasStatus(response, 403)
}

/** A second cancel may be rejected, but not for the key. */
function areAllowed(responses: readonly Allowed[]): Finding {
  return every(
    responses.map(({ permission, response }) =>
      judge(
        response.status !== 403 && response.status !== 401,
        `a key without ${permission}: ${rejectionText(response)}; it has the permission that is needed`,
        response,
      ),
    ),
  )
}
