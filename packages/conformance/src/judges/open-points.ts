import { ROUTES } from '@modelrun/contract'
import { type Check, check, defineScenario, type Needs } from '../check.ts'
import { BlockedError, type Finding, judge, observe } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, pointersOf, show } from '../json.ts'
import { modelsOf } from '../plan/targets.ts'
import { brokenJson, cancelledUnknown, noCredits, unknownJob } from '../scenarios/mistakes.ts'
import {
  firstPage,
  listModels,
  page,
  searchByPart,
  searchInCapitals,
  searchNonsense,
  unknownModel,
  unknownRoutes,
} from '../scenarios/reads.ts'
import { FIRST, UNKNOWN_ID } from '../scenarios/runs.ts'
import { cancelJob, jobStatus, probeRun, type RunOptions, readJob } from '../session/actions.ts'
import type { Session, SessionCall } from '../session/session.ts'
import { INVALID_REQUESTS, numberAt } from './invalid-requests.ts'
import { observeRejection, rejectionOf, rejectionText } from './rules.ts'
import { idsOf, worldOf } from './world.ts'

/** A request whose response the specification leaves open. */
function probe(id: string, needs: Needs, send: (session: Session) => Promise<ApiResponse>): Check {
  return check(id, defineScenario(needs, send), observeRejection)
}

/** A run of the main model that differs from a normal one. What it starts is cancelled. */
function run(id: string, optionsOf: (input: Record<string, unknown>) => RunOptions): Check {
  return probe(id, { writes: true }, (session) => probeRun(session, optionsOf(session.target('main').input)))
}

/** The same of a single request. */
function request(id: string, call: SessionCall): Check {
  return probe(id, { writes: call.method !== undefined }, (session) => session.call(call))
}

/** The key in the query, under common parameter names. A service may reject such a query for another reason. */
const KEY_IN_QUERY = defineScenario({}, (session) => {
  const query = ['api_key', 'key', 'token', 'access_token'].map((name) => `${name}=${session.options.apiKey}`)
  return session.call({ path: `${ROUTES.listModels.path}?${query.join('&')}`, authorization: null, isOpen: true })
})

const BEARER_IN_LOWER_CASE = defineScenario({}, (session) =>
  session.call({ path: ROUTES.listModels.path, authorization: `bearer ${session.options.apiKey}`, isOpen: true }),
)

/** A model whose id holds a slash, with the slash as it is. Where none does, an unknown one: its path may be unknown too. */
const PLAIN_SLASH = defineScenario({ uses: [firstPage, unknownModel] }, async (session) => {
  const ids = idsOf(await session.evidence(firstPage)).map(String)
  const id = ids.find((one) => one.includes('/'))
  const plain = (id ?? `${UNKNOWN_ID}/${UNKNOWN_ID}`).split('/').map(encodeURIComponent).join('/')
  const response = await session.call({ path: `${ROUTES.listModels.path}/${plain}`, isOpen: id === undefined })
  return { id, unknown: await session.evidence(unknownModel), response }
})

/** One that was sent shows it, unless its key lacks something. */
const WRONG_METHOD = defineScenario({ writes: true, uses: [unknownRoutes] }, async (session) => {
  const { posted } = await session.evidence(unknownRoutes)
  if (posted !== undefined && posted.status !== 403) return posted
  return session.call({ method: 'POST', path: ROUTES.listModels.path, isOpen: true })
})

/** What the specification leaves open of reads (sections 2.1, 4.1, 4.2, 8 and 9). */
const OF_READS: readonly Check[] = [
  probe('auth/blocked-address', { key: 'blocked-ip' }, (session) =>
    listModels(session, {}, { key: session.options.keys['blocked-ip'] }),
  ),
  check('models/default-offset', firstPage, (response) => {
    const offset = numberAt(response, '/offset')
    return observe(offset, `/offset is ${show(offset)} without a query`, response)
  }),
  check('models/unknown-category', page({ category: 'conformance-no-such-category' }), (response) => {
    const found = modelsOf(response).length
    const observation = response.status >= 400 ? rejectionOf(response) : found === 0 ? 'empty' : 'all'
    return observe(observation, `${rejectionText(response)}, ${found} models`, response)
  }),
  check('models/search-nothing', searchNonsense, (response) => {
    const found = modelsOf(response).length
    return observe(found === 0 ? 'nothing' : 'something', `${rejectionText(response)}, ${found} models`, response)
  }),
  ofSearch('models/search-case', searchInCapitals, ['ignored', 'counts']),
  ofSearch('models/search-words', searchByPart, ['parts', 'whole']),
  check('models/unknown-parameter', page({ conformance: 1 }), observeRejection),
  check('details/unknown-model', unknownModel, observeRejection),
  check('details/plain-slash', PLAIN_SLASH, ({ id, unknown, response }) => {
    const isModel = response.status === 200 && at(response.json, '/id') === id
    const isServed = id === undefined ? rejectionText(response) === rejectionText(unknown) : isModel
    const observed = isServed ? 'served' : rejectionOf(response)
    return observe(observed, `${id ?? 'an unknown id'} with a plain slash: ${rejectionText(response)}`, response)
  }),
  check('models/trailing-slash', unknownRoutes, ({ withSlash }) =>
    observe(withSlash.status === 200 ? 'served' : rejectionOf(withSlash), rejectionText(withSlash), withSlash),
  ),
  request('models/head', { method: 'HEAD', path: ROUTES.listModels.path, isOpen: true }),
  request('details/without-version', { path: ROUTES.listModels.path.replace(/^\/v1/, '') }),
  request('details/unknown-path', { path: '/v1/conformance-no-such-path', authorization: null, isOpen: true }),
  check('details/wrong-method', WRONG_METHOD, observeRejection),
  check('auth/bearer-case', BEARER_IN_LOWER_CASE, (response) =>
    observe(response.status < 300 ? 'ignored' : 'counts', rejectionText(response), response),
  ),
  check('auth/key-in-query', KEY_IN_QUERY, (response) =>
    judge(response.status >= 400, `the key in the query: status ${response.status}; expected an error`, response),
  ),
  check('errors/request-id', firstPage, (response) => {
    const id = response.headers.get('x-request-id')
    return observe(id === null ? 'none' : 'sent', `x-request-id is ${show(id ?? undefined)}`, response)
  }),
]

/** A second cancel of the job that was cancelled. */
const SECOND_CANCEL = defineScenario({ uses: [FIRST.cancelled] }, async (session) => {
  await session.evidence(FIRST.cancelled)
  return cancelJob(session, jobThat(session, 'cancelled'))
})

/** A cancel of a job that has succeeded. */
const CANCELLED_FINISHED = defineScenario({ uses: [FIRST.async] }, async (session) => {
  await session.evidence(FIRST.async)
  const jobId = jobThat(session, 'succeeded')
  return { cancel: await cancelJob(session, jobId), after: await readJob(session, jobId) }
})

/** The same of runs and cancels (sections 3, 4.3, 4.5 and 7). */
const OF_RUNS: readonly Check[] = [
  check('inputs/broken-json', brokenJson, observeRejection),
  run('inputs/content-type', (input) => ({ text: JSON.stringify({ input, sync: false }), contentType: 'text/plain' })),
  run('inputs/unknown-member', (input) => ({ body: { input, sync: false, conformance: true } })),
  run('inputs/unknown-parameter', (input) => ({ body: { input: { ...input, conformance: true }, sync: false } })),
  run('inputs/plain-http-webhook', () => ({ webhook_url: 'http://webhook.invalid/conformance' })),
  check('permissions/no-credits', noCredits, observeRejection),
  check('cancel/twice', SECOND_CANCEL, observeCancel),
  check('jobs/unknown', unknownJob, observeRejection),
  check('cancel/unknown-job', cancelledUnknown, ({ cancel }) => observeCancel(cancel)),
  check('jobs/malformed-id', cancelledUnknown, ({ malformed, cancel, id }) =>
    rejectionText(malformed) === rejectionText(cancel)
      ? observe('unknown', `${rejectionText(malformed)}, as for an unknown job`, malformed)
      : observe({ ...rejectionOf(malformed), rightForm: id }, rejectionText(malformed), [malformed, cancel]),
  ),
  check('cancel/finished', CANCELLED_FINISHED, ({ cancel, after }) => {
    const observation = jobStatus(after) === 'succeeded' ? ineffective(cancel) : 'changed'
    return observe(observation, `${rejectionText(cancel)}; then the job is ${show(jobStatus(after))}`, [cancel, after])
  }),
]

export const OPEN_POINTS: readonly Check[] = [...OF_READS, ...INVALID_REQUESTS, ...OF_RUNS]

function ofSearch(id: string, search: typeof searchByPart, [found, missed]: [string, string]): Check {
  return check(id, search, ({ text, wanted, page }) => {
    const isFound = idsOf(page).includes(wanted)
    return observe(isFound ? found : missed, `${show(text)} is ${isFound ? '' : 'not '}found`, page)
  })
}

/** The id of a job that was polled to that end. */
function jobThat(session: Session, outcome: 'cancelled' | 'succeeded'): string {
  const job = worldOf(session).jobs.find((one) => one.outcome === outcome)
  if (job === undefined) throw new BlockedError(`no job ${outcome === 'cancelled' ? 'was' : 'has'} ${outcome}`)
  return job.jobId
}

function observeCancel(cancel: ApiResponse): Finding {
  return observe(ineffective(cancel), rejectionText(cancel), cancel)
}

/** A cancel that changes nothing: an error, or a success with members of its own. */
function ineffective(cancel: ApiResponse) {
  return { ...rejectionOf(cancel), ...(cancel.status >= 400 ? {} : { fields: pointersOf(cancel.json) }) }
}
