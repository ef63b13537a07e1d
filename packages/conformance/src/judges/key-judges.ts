import { KEY_PREFIXES, ROUTES } from '@modelrun/contract'
import { type Check, defineScenario } from '../check.ts'
import { type Finding, fail, judge, observe, pass, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, show } from '../json.ts'
import { keysAtJobs, keysAtReads, revokedKey } from '../scenarios/keys.ts'
import { crossedReads, firstPage, unknownRoutes } from '../scenarios/reads.ts'
import { crossedRuns, FIRST } from '../scenarios/runs.ts'
import type { LimitedKey } from '../session/keys.ts'
import type { Recorded } from '../session/session.ts'
import { type ApiCall, isItsOwn, isOpenForKey } from './api-calls.ts'
import { isProviderFailure, membersOfErrors } from './error-members.ts'
import { judgeAll, judgeEvery, only, type Source } from './judge-every.ts'
import { ERROR, hasStatus, holds, isJson, none, oneOf, rejectionOf, rejectionText } from './rules.ts'
import { isBefore, type JobStory, type ReadsOf, responsesOf, type World } from './world.ts'

/** Every request to an endpoint, whatever it was sent for. */
const CALLS: Source<ApiCall> = {
  from: [firstPage, unknownRoutes, keysAtReads, keysAtJobs, FIRST.default, FIRST.async, crossedRuns, crossedReads],
  pick: ({ calls }) => calls.filter(isItsOwn),
  nothing: 'nothing was sent',
}
/** Reads that the specification accepts, by their endpoint. */
const READS: Source<ReadsOf> = { ...CALLS, pick: ({ reads }) => reads.filter(({ calls }) => calls.length > 0) }
const KEYED = [keysAtReads, keysAtJobs, crossedRuns]
const isRejected = ({ response }: { response: ApiResponse }) => response.status >= 400
const ofKey = (kind: ApiCall['key']['kind'], from: Source<ApiCall>['from'], nothing: string) =>
  only({ ...CALLS, from }, ({ key, isOpen }) => key.kind === kind && !isOpen, nothing)

/** Whatever is accepted needs the permission, and no valid key gets a 401. */
const LIMITED = only(
  { ...CALLS, from: [...KEYED, crossedReads] },
  ({ key, isOpen, response }) =>
    key.kind === 'limited' && (!isOpen || response.status < 300 || response.status === 401),
  'no key was given that lacks a permission',
)
const isLacking = ({ key, route }: ApiCall) => key.lacks.some((permission) => permission === ROUTES[route].permission)
const NOT_LACKING = only(LIMITED, (call) => !isLacking(call) && !isOpenForKey(call))

/** A run whose response shows the failed job, or the failure. */
const isFailedRun = ({ method, response: { json } }: Recorded) =>
  method === 'POST' && (at(json, '/status') === 'failed' || isProviderFailure(json))
/** Every error, wherever the request went, also those after which a request was sent again. What limits requests in front of a service may send a body of its own. */
const ERRORS: Source<{ response: Pick<ApiResponse, 'json' | 'exchange'> }> = {
  ...CALLS,
  pick: ({ session: { recorded, parts } }) => [
    ...recorded.filter((call) => call.method !== 'HEAD' && (isFailedRun(call) || (isItsOwn(call) && isRejected(call)))),
    ...parts.recovered.filter(isItsOwn),
    ...parts.limited.filter(({ json }) => at(json, '/error') !== undefined).map((response) => ({ response })),
  ],
  nothing: 'nothing was rejected',
}

/** Every response, by the key of its request (sections 1, 4, 5 and 7). */
export const KEY_JUDGES: readonly Check[] = [
  unauthorized('auth/missing-key', ofKey('missing', KEYED, 'no request had no key')),
  unauthorized('auth/invalid-key', ofKey('invalid', KEYED, 'no request had an invalid key')),
  unauthorized('auth/revoked-key', ofKey('revoked', [revokedKey, ...KEYED], 'no request had a revoked key')),
  judgeEvery('auth/right-key', ofKey('full', CALLS.from, CALLS.nothing), isLetIn),
  judgeEvery('permissions/lacking', only(LIMITED, isLacking), (call, world) =>
    mayHaveOtherMistake(call, world)
      ? skip('the request has another mistake, which may be seen before the permission', call.response)
      : isRejectedWith(call.response, 403, 'FORBIDDEN'),
  ),
  judgeEvery('permissions/others-remain', NOT_LACKING, ({ response, key }) => {
    const isLet = response.status !== 403 && response.status !== 401
    const detail = `a key without ${key.lacks.join(', ')}: ${rejectionText(response)}; it has the permission that is needed`
    return judge(isLet, detail, response)
  }),
  judgeEvery('errors/every-json', only(CALLS, hasBody), ({ response }) => isJson(response)),
  judgeEvery('errors/every-error', ERRORS, ({ response }) => holds(response, ERROR)),
  judgeAll('errors/more-members', ERRORS, ([first], everything) => {
    const members = membersOfErrors(everything)
    return observe(members, `members beside code and message: ${show(members)}`, first)
  }),
  judgeEvery('errors/not-in-a-success', only(CALLS, isResult, 'nothing was returned'), ({ response }) =>
    holds(response, { '/error': none }),
  ),
  judgeEvery('errors/reads-are-served', READS, areServed),
  judgeAll('errors/every-response', CALLS, (calls, { session: { troubles } }) => {
    const redirected = calls.find(({ response }) => response.status >= 300 && response.status < 400)
    if (redirected !== undefined)
      return fail(`status ${redirected.response.status}; expected a response and no redirect`, redirected)
    return troubles[0] ?? pass(`${calls.length} requests were responded to`, calls[0])
  }),
  judgeAll('auth/key-prefix', CALLS, ([first], { session: { options } }) => {
    const prefixes = Object.values(KEY_PREFIXES)
    const isRight = prefixes.some((prefix) => options.apiKey.startsWith(prefix))
    return judge(isRight, `the key ${isRight ? 'starts' : 'does not start'} with ${prefixes.join(' or ')}`, first)
  }),
  judgeAll('limits/too-many-requests', CALLS, ([first], { session }) => {
    const last = session.parts.limited.at(-1)
    return last === undefined
      ? observe('none', 'no request came too early', first)
      : observe(rejectionOf(last), `what came too early: ${rejectionText(last)}`, last)
  }),
  openPermission('permissions/run-and-jobs-write', 'without-jobs-write', 'a run without jobs:write'),
  openPermission('permissions/run-and-webhooks-manage', 'without-webhooks-manage', 'a webhook without webhooks:manage'),
]

/** Whether a run needs a permission besides `models:run` is open. */
function openPermission(id: string, name: LimitedKey, what: string): Check {
  const ofWebhook = name === 'without-webhooks-manage'
  const isOfKey = ({ route, key, body, isOpen }: ApiCall) =>
    route === 'runModel' && key.name === name && !isOpen && (!ofWebhook || at(body, '/webhook_url') !== undefined)
  const needs = { key: name, receiver: ofWebhook, uses: [keysAtJobs] }
  const ofName = defineScenario(needs, async () => undefined)
  const source = only({ ...CALLS, from: [ofName, keysAtJobs] }, isOfKey, 'nothing was run with that key')
  return judgeAll(id, source, ([{ response }], { session: { options } }) => {
    const isOfUrl = response.status >= 400 && response.status !== 403 && options.receiver?.url.startsWith('http:')
    if (isOfUrl) return skip(`rejects a webhook_url without https: ${rejectionText(response)}`, response)
    return observe(response.status === 403, `${what}: ${rejectionText(response)}`, response)
  })
}

/**
 * Which of two mistakes is found first is open (section 5). Another one than the key is what the key with all permissions is rejected
 * for in the same way: always where the specification leaves the response open, and else with the same id. A job that is over may be gone.
 */
function mayHaveOtherMistake(call: ApiCall, { calls, jobs }: World): boolean {
  const { route, id, response, body, isOpen } = call
  const isOver = ({ jobId, end }: JobStory) => jobId === id && end !== undefined && isBefore(end, response)
  const isOfOver = route === 'cancelJob' && jobs.some(isOver)
  if (isOfOver && (response.status === 404 || response.status === 410)) return true
  const mayBeWrong = isOpen || isOfOver || String(at(body, '/webhook_url')).startsWith('http:')
  const isAlike = (other: ApiCall) => isRejected(other) && rejectionText(other.response) === rejectionText(response)
  const alike = calls.filter((other) => other.route === route && isAlike(other))
  return alike.some(({ key, ...other }) => key.kind === 'full' && (mayBeWrong || (!other.isOpen && other.id === id)))
}

/** Any service fails now and then, but not so often. */
const FEW = 4
const SHARE = 1 / 12

/** Judges that the reads of an endpoint are returned, at least when they are sent again, and most of them at once. */
function areServed({ route, calls, recovered }: ReadsOf): Finding {
  const lost = calls.find(({ response }) => response.status >= 500)
  if (lost !== undefined) return fail(`${route}: status ${lost.response.status}, also when it is sent again`, lost)
  const all = [...recovered, ...responsesOf(calls)]
  const isRare = recovered.length <= FEW || recovered.length / all.length <= SHARE
  const detail = `${route}: ${recovered.length} of ${all.length} requests got a status of 500 or more`
  return judge(isRare, detail, all.slice(0, 10))
}

function unauthorized(id: string, source: Source<ApiCall>): Check {
  return judgeEvery(id, source, ({ response }) => isRejectedWith(response, 401, 'UNAUTHORIZED'))
}

function isRejectedWith(response: ApiResponse, status: number, code: string): Finding[] {
  return [hasStatus(response, status), ...holds(response, { '/error/code': oneOf(code) })]
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

/** Lists, details, and runs that have not failed. Polls have their own judge. */
function isResult({ route, response }: ApiCall): boolean {
  const isRead = route === 'listModels' || route === 'getModel'
  const isRun = route === 'runModel' && /^(completed|queued|processing)$/.test(String(at(response.json, '/status')))
  return response.status < 300 && (isRead || isRun)
}
