import { type Permission, ROUTES, type RouteName, routePath } from '@modelrun/contract'
import { type Check, check, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { BlockedError, every, type Finding, judge } from '../judge/finding.ts'
import { rejectionText } from '../judge/responses.ts'
import type { SpecialKey } from '../options.ts'
import { cancelJob, readJob } from '../session/jobs.ts'
import { probeRun } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { cancelledQueued } from './cancel-scenarios.ts'
import { firstPage, modelsOf } from './models-scenarios.ts'

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

interface Others {
  id: string
  /** The permissions that the endpoint has nothing to do with. */
  permissions: readonly Permission[]
  call: (session: Session, key: string) => Promise<ApiResponse>
}

/** An endpoint with each key that lacks a permission which it does not need. */
function withOthers({ id, permissions, call }: Others, more: Partial<Scenario<unknown>> = {}): Scenario<Allowed[]> {
  return {
    ...more,
    id,
    keys: permissions.map((permission) => LACKING[permission]),
    perform: async (session) => {
      const responses: Allowed[] = []
      for (const permission of permissions) {
        const key = session.options.keys[LACKING[permission]]
        if (key !== undefined) responses.push({ permission, response: await call(session, key) })
      }
      return responses
    },
  }
}

/** The permissions beside the one that the endpoint needs. */
function besides(route: RouteName): Permission[] {
  // The keys of the record are its type's.
  return (Object.keys(LACKING) as Permission[]).filter((permission) => permission !== ROUTES[route].permission)
}

const listsWithOthers = withOthers({
  id: 'lists-with-others',
  permissions: besides('listModels'),
  call: (session, key) => session.call({ path: ROUTES.listModels.path, key }),
})

const viewsWithOthers = withOthers(
  {
    id: 'views-with-others',
    permissions: besides('getModel'),
    call: async (session, key) => {
      const list = await session.evidence(firstPage)
      const id = modelsOf(list)[0]?.id
      if (typeof id !== 'string') throw new BlockedError('the list of models is empty', list)
      return session.call({ path: routePath(ROUTES.getModel, { id }), key })
    },
  },
  { uses: [firstPage] },
)

/** Whether a run needs `jobs:write` is open: running creates a job. */
const runsWithOthers = withOthers(
  {
    id: 'runs-with-others',
    permissions: besides('runModel').filter((permission) => permission !== 'jobs:write'),
    call: (session, key) => probeRun(session, 'main', { key }),
  },
  { runs: { main: 3 } },
)

const readsWithOthers = withOthers(
  {
    id: 'reads-with-others',
    permissions: besides('getJob'),
    call: async (session, key) => readJob(session, await cancelledJobId(session), { key }),
  },
  { uses: [cancelledQueued] },
)

const cancelsWithOthers = withOthers(
  {
    id: 'cancels-with-others',
    permissions: besides('cancelJob'),
    call: async (session, key) => cancelJob(session, await cancelledJobId(session), { key }),
  },
  { uses: [cancelledQueued] },
)

/** What a key may do that lacks another permission (section 5.4). */
export const PERMISSIONS_OTHERS_CHECKS: readonly Check[] = [
  check('permissions/others-list', listsWithOthers, areAllowed),
  check('permissions/others-view', viewsWithOthers, areAllowed),
  check('permissions/others-run', runsWithOthers, areAllowed),
  check('permissions/others-read', readsWithOthers, areAllowed),
  check('permissions/others-cancel', cancelsWithOthers, areAllowed),
]

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

/** A job that has ended, so that nothing is at stake. */
async function cancelledJobId(session: Session): Promise<string> {
  return (await session.evidence(cancelledQueued)).after.jobId
}
