import { ROUTES } from '@modelrun/contract'
import type { Check } from '../check.ts'
import { crossedReads, crossedRuns } from '../checks/crossed.ts'
import { keysAtJobs, keysAtReads, revokedKey } from '../checks/keys.ts'
import { firstPage } from '../checks/models.ts'
import { asyncJob, defaultRun } from '../checks/runs.ts'
import { at, show } from '../json.ts'
import { type Finding, fail, judge, pass } from '../judge/finding.ts'
import { hasObject, hasStatus, hasText, hasValue, isJson, lacks, rejectionText } from '../judge/responses.ts'
import { type ApiCall, isItsOwn, isOpenForKey } from './api-calls.ts'
import { judgeAll, judgeEvery, only, type Source } from './judge-every.ts'
import type { ReadsOf } from './world.ts'

/** Every request to an endpoint, whatever it was sent for. */
const CALLS: Source<ApiCall> = {
  from: [firstPage, keysAtReads, keysAtJobs, defaultRun, asyncJob, crossedRuns, crossedReads],
  pick: ({ calls }) => calls.filter(isItsOwn),
  nothing: 'nothing was sent',
}
/** Reads that the specification accepts, by their endpoint. */
const READS: Source<ReadsOf> = {
  ...CALLS,
  pick: ({ reads }) => reads.filter(({ calls }) => calls.length > 0),
}
const KEYED = [keysAtReads, keysAtJobs, crossedRuns]
const isRejected = ({ response }: ApiCall) => response.status >= 400
const ofKey = (kind: ApiCall['key']['kind'], from: Source<ApiCall>['from'], nothing: Source<ApiCall>['nothing']) =>
  only({ ...CALLS, from }, ({ key, isOpen }) => key.kind === kind && !isOpen, nothing)

const LIMITED = ofKey('limited', [...KEYED, crossedReads], 'no key was given that lacks a permission')
const isLacking = ({ key, route }: ApiCall) => key.lacks.some((permission) => permission === ROUTES[route].permission)

/** Every response, by the key of its request (sections 1, 4, 5 and 7). */
export const KEY_JUDGES: readonly Check[] = [
  judgeEvery('auth/missing-key', ofKey('missing', KEYED, 'no request had no key'), isUnauthorized),
  judgeEvery('auth/invalid-key', ofKey('invalid', KEYED, 'no request had an invalid key'), isUnauthorized),
  judgeEvery(
    'auth/revoked-key',
    ofKey('revoked', [revokedKey, ...KEYED], 'no request had a revoked key'),
    isUnauthorized,
  ),
  judgeEvery('auth/right-key', ofKey('full', CALLS.from, CALLS.nothing), isLetIn),
  judgeEvery('permissions/lacking', only(LIMITED, isLacking, LIMITED.nothing), ({ response }) => [
    hasStatus(response, 403),
    hasValue(response, '/error/code', 'FORBIDDEN'),
  ]),
  judgeEvery(
    'permissions/others-remain',
    only(LIMITED, (call) => !isLacking(call) && !isOpenForKey(call), LIMITED.nothing),
    ({ response, key }) => {
      const isLet = response.status !== 403 && response.status !== 401
      const detail = `a key without ${key.lacks.join(', ')}: ${rejectionText(response)}; it has the permission that is needed`
      return judge(isLet, detail, response)
    },
  ),
  judgeEvery('errors/every-json', only(CALLS, hasBody, CALLS.nothing), ({ response }) => isJson(response)),
  judgeEvery('errors/every-error', only(CALLS, isRejected, 'nothing was rejected'), ({ response }) => [
    hasObject(response, '/error'),
    hasText(response, '/error/code'),
    hasText(response, '/error/message'),
  ]),
  judgeEvery('errors/not-in-a-success', only(CALLS, isResult, 'nothing was returned'), ({ response }) =>
    lacks(response, '/error'),
  ),
  judgeEvery('errors/reads-are-served', READS, areServed),
  judgeAll('errors/every-response', CALLS, (calls, { session: { troubles } }) => {
    const redirected = calls.find(({ response }) => response.status >= 300 && response.status < 400)
    if (redirected !== undefined)
      return fail(`status ${redirected.response.status}; expected a response and no redirect`, redirected.response)
    const [trouble] = troubles
    if (trouble !== undefined) return fail(trouble.detail, trouble.exchanges)
    const proof = calls.slice(0, 1).map(({ response }) => response)
    return pass(`${calls.length} requests were responded to`, proof)
  }),
]

/** Any service fails now and then, but not so often. */
const FEW = 4
const SHARE = 1 / 12

/** Judges that the reads of an endpoint are returned, at least when they are sent again, and most of them at once. */
function areServed({ route, calls, recovered }: ReadsOf): Finding {
  const lost = calls.find(({ response }) => response.status >= 500)
  if (lost !== undefined)
    return fail(`${route}: status ${lost.response.status}, also when it is sent again`, lost.response)
  const isRare = recovered.length <= FEW || recovered.length / (calls.length + recovered.length) <= SHARE
  const detail = `${route}: ${recovered.length} of ${calls.length + recovered.length} requests got a status of 500 or more`
  return judge(isRare, detail, [...recovered, ...calls.map(({ response }) => response)].slice(0, 10))
}

function isUnauthorized({ response }: ApiCall) {
  return [hasStatus(response, 401), hasValue(response, '/error/code', 'UNAUTHORIZED')]
}

/** Judges that the key is not the reason of a rejection. Another code of 403 may mean something else. */
function isLetIn({ response }: ApiCall) {
  const code = at(response.json, '/error/code')
  const isOfKey = response.status === 401 || (response.status === 403 && code === 'FORBIDDEN')
  return judge(!isOfKey, `${rejectionText(response)}, code ${show(code)}; the key has all permissions`, response)
}

/** The response to a cancel is open. */
function hasBody({ route, response }: ApiCall): boolean {
  return response.text !== '' && !(route === 'cancelJob' && response.status < 300)
}

/** Lists, details and completed runs. Polls have their own judge. */
function isResult({ route, response }: ApiCall): boolean {
  const isRead = route === 'listModels' || route === 'getModel'
  return response.status < 300 && (isRead || at(response.json, '/status') === 'completed')
}
