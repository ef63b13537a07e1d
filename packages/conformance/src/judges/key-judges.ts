import { KEY_PREFIXES, ROUTES } from '@modelrun/contract'
import type { Check } from '../check.ts'
import { every, type Finding, fail, judge, pass, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, show } from '../json.ts'
import { keysAtJobs, keysAtReads, revokedKey } from '../scenarios/keys.ts'
import { details, keyInQuery, lists, pages } from '../scenarios/reads.ts'
import { FIRST } from '../scenarios/runs.ts'
import type { Recorded } from '../session/session.ts'
import { type ApiCall, isItsOwn, originOf } from './api-calls.ts'
import { judgeAll, judgeEvery, only, type Source } from './judge-world.ts'
import { absent, ERROR, hasStatus, holds, oneOf, rejectionText } from './rules.ts'
import { isBefore, isProviderFailure, type JobStory, type World } from './world.ts'

const FORBIDDEN = 'FORBIDDEN'

/** Every request to an endpoint, whatever it was sent for. */
const CALLS: Source<ApiCall> = {
  from: [pages, keysAtReads, keysAtJobs, FIRST.default, FIRST.async, lists, details],
  pick: ({ calls }) => calls.filter(isItsOwn),
  nothing: 'nothing was sent',
}
const KEYED = [keysAtReads, keysAtJobs, FIRST.cancelledProcessing]
const isRejected = ({ response }: { response: ApiResponse }) => response.status >= 400
const ofKey = (kind: ApiCall['key']['kind'], from: Source<ApiCall>['from'], nothing: string) =>
  only({ ...CALLS, from }, ({ key, isOpen }) => key.kind === kind && !isOpen, nothing)

/** Whatever is accepted needs the permission, and no valid key gets a 401. */
const LIMITED = only(
  { ...CALLS, from: [...KEYED, lists, details] },
  ({ key, isOpen, response }) =>
    key.kind === 'limited' && (!isOpen || response.status < 300 || response.status === 401),
  'no key was given that lacks a permission',
)
const isLacking = ({ key, route }: ApiCall) => key.lacks.some((permission) => permission === ROUTES[route].permission)

/** A run whose response shows the failed job, or the failure. */
const isFailedRun = ({ method, response: { json } }: Recorded) =>
  method === 'POST' && (at(json, '/status') === 'failed' || isProviderFailure(json))
/** Every error, wherever the request went. What stands in front of a service may send a body of its own. */
const ERRORS: Source<Recorded> = {
  ...CALLS,
  pick: ({ session: { recorded } }) =>
    recorded.filter((call) => isFailedRun(call) || (isItsOwn(call) && isRejected(call))),
  nothing: 'nothing was rejected',
}

/** Every response, by the key of its request (sections 1, 4, 5 and 7). */
export const KEY_JUDGES: readonly Check[] = [
  ...rejections('missing-key', ofKey('missing', KEYED, 'no request had no key')),
  ...rejections('invalid-key', ofKey('invalid', KEYED, 'no request had an invalid key')),
  ...rejections('revoked-key', ofKey('revoked', [revokedKey, ...KEYED], 'no request had a revoked key')),
  judgeEvery('auth/right-key', ofKey('full', CALLS.from, CALLS.nothing), isLetIn),
  judgeEvery(
    'auth/key-in-query',
    only({ ...CALLS, from: [keyInQuery] }, ({ path }) => path.includes('?api_key='), 'no key was in the query'),
    (call) => judge(isRejected(call), `the key in the query: ${rejectionText(call.response)}; expected an error`, call),
  ),
  judgeEvery('permissions/lacking', only(LIMITED, isLacking), (call, world) =>
    mayHaveOtherMistake(call, world)
      ? skip('the job is over, which may be seen before the permission', call)
      : isForbidden(call),
  ),
  judgeEvery(
    'permissions/others-remain',
    only(LIMITED, (call) => !isLacking(call)),
    ({ response, key }) => {
      const isLet = response.status !== 403 && response.status !== 401
      const found = `${originOf(response.exchange)} with a key that lacks only ${key.lacks.join(', ')}: ${rejectionText(response)}`
      return judge(isLet, `${found}; it has the permission that is needed`, response)
    },
  ),
  judgeEvery('errors/every-json', only(CALLS, hasBody), ({ response }) => isJson(response)),
  judgeEvery('errors/every-error', ERRORS, ({ response }) => holds(response, ERROR)),
  judgeEvery('errors/not-in-a-success', only(CALLS, isResult, 'nothing was returned'), ({ response }) =>
    holds(response, { '/error': absent }),
  ),
  judgeAll('errors/every-response', CALLS, (calls, { session: { troubles } }) => {
    const redirected = calls.find(({ response }) => response.status >= 300 && response.status < 400)
    if (redirected !== undefined)
      return fail(`${describe(redirected)}; expected a response and no redirect`, redirected)
    return every([...troubles.values(), pass(`${calls.length} requests were responded to`, calls[0])])
  }),
  judgeAll('auth/key-prefix', CALLS, ([first], { session: { options } }) => {
    const prefixes = Object.values(KEY_PREFIXES)
    const isRight = prefixes.some((prefix) => options.apiKey.startsWith(prefix))
    return judge(isRight, `the key ${isRight ? 'starts' : 'does not start'} with ${prefixes.join(' or ')}`, first)
  }),
]

/** The check of a status, and the check of its code. */
function rejections(name: string, source: Source<ApiCall>): Check[] {
  return [
    judgeEvery(`auth/${name}`, source, ({ response }) => hasStatus(response, 401)),
    judgeEvery(`auth/${name}-code`, source, ({ response }) =>
      holds(response, { '/error/code': oneOf('UNAUTHORIZED') }),
    ),
  ]
}

function describe({ response }: Pick<ApiCall, 'response'>): string {
  return `${originOf(response.exchange)}: ${rejectionText(response)}`
}

function isForbidden(call: ApiCall): Finding {
  const { response, key } = call
  const isRight = response.status === 403 && at(response.json, '/error/code') === FORBIDDEN
  const keyText = `with a key that lacks ${key.lacks.join(', ')}`
  return judge(isRight, `${describe(call)} ${keyText}; expected 403 with the code ${FORBIDDEN}`, call)
}

/** Which of two mistakes is found first is open (section 5): a job that is over cannot be cancelled, or may be gone. */
function mayHaveOtherMistake({ route, id, response }: ApiCall, { jobs }: World): boolean {
  const isOver = ({ jobId, end }: JobStory) => jobId === id && end !== undefined && isBefore(end, response)
  return route === 'cancelJob' && isRejected({ response }) && response.status !== 401 && jobs.some(isOver)
}

/** Judges that the key is not the reason of a rejection. Another code of 403 may mean something else. */
function isLetIn({ response }: ApiCall) {
  const isOfKey = response.status === 401 || (response.status === 403 && at(response.json, '/error/code') === FORBIDDEN)
  return judge(!isOfKey, `${describe({ response })}; the key has all permissions`, response)
}

/** The response to a cancel is open. */
function hasBody({ route, response }: ApiCall): boolean {
  return response.text !== '' && !(route === 'cancelJob' && response.status < 300)
}

function isJson(response: ApiResponse): Finding {
  const contentType = response.headers.get('content-type')
  const isRight = /^application\/(\S+\+)?json\b/i.test(contentType ?? '') && response.json !== undefined
  const detail = `${originOf(response.exchange)}: content type ${show(contentType ?? undefined)}; expected a JSON body`
  return judge(isRight, detail, response)
}

/** Lists, details, and runs that have not failed. Polls have their own judge. */
function isResult({ route, response }: ApiCall): boolean {
  const isRead = route === 'listModels' || route === 'getModel'
  const isRun = route === 'runModel' && /^(completed|queued|processing)$/.test(String(at(response.json, '/status')))
  return response.status < 300 && (isRead || isRun)
}
