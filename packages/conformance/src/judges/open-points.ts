import { ROUTES } from '@modelrun/contract'
import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import { BlockedError, type Finding, judge, observe, skip } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, pointersOf, show } from '../json.ts'
import { modelsOf } from '../plan/targets.ts'
import { brokenJson, cancelledUnknown, noCredits, otherScheme, unknownJob } from '../scenarios/mistakes.ts'
import {
  firstPage,
  listModels,
  page,
  type Search,
  searchByPart,
  searchInCapitals,
  searchNonsense,
  unknownModel,
} from '../scenarios/reads.ts'
import { FIRST } from '../scenarios/runs.ts'
import { cancelJob, jobStatus, probeRun, type RunOptions, readJob } from '../session/actions.ts'
import type { Session } from '../session/session.ts'
import { numberAt, ofBadPages, ofBodies, ofSpecialValues, ofSync } from './invalid-requests.ts'
import { observeRejection, rejectionOf, rejectionText } from './rules.ts'
import { idsOf, worldOf } from './world.ts'

/** A request whose response the specification leaves open. */
function probe(
  id: string,
  needs: Omit<Scenario<ApiResponse>, 'id' | 'perform'>,
  send: (session: Session) => Promise<ApiResponse>,
): Check {
  return check(id, defineScenario(id, needs, send), observeRejection)
}

/** A run of the main model that differs from a normal one. What it starts is cancelled. */
function run(id: string, optionsOf: (input: Record<string, unknown>) => RunOptions): Check {
  return probe(id, { runs: { main: 0 } }, (session) => probeRun(session, optionsOf(session.target('main').input)))
}

/** What the specification leaves open of reads (sections 2.1, 4.1, 4.2, 8 and 9). */
const OF_READS: readonly Check[] = [
  probe('auth/blocked-address', { keys: ['blocked-ip'] }, (session) =>
    listModels(session, {}, { key: session.key(['blocked-ip']) }),
  ),
  check('models/default-offset', firstPage, (response) => {
    const offset = numberAt(response, '/offset')
    return observe(offset, `/offset is ${show(offset)} without a query`, response)
  }),
  check(
    'models/unknown-category',
    page('unknown-category', { category: 'conformance-no-such-category' }),
    (response) => {
      const found = modelsOf(response).length
      const observation = response.status >= 400 ? rejectionOf(response) : found === 0 ? 'empty' : 'all'
      return observe(observation, `${rejectionText(response)}, ${found} models`, response)
    },
  ),
  check('models/search-nothing', searchNonsense, (response) => {
    const found = modelsOf(response).length
    return observe(found === 0 ? 'nothing' : 'something', `${rejectionText(response)}, ${found} models`, response)
  }),
  ofSearch('models/search-case', searchInCapitals, ['ignored', 'counts']),
  ofSearch('models/search-words', searchByPart, ['parts', 'whole']),
  ...ofBadPages(),
  check('models/unknown-parameter', page('unknown-parameter', { conformance: 1 }), observeRejection),
  check('details/unknown-model', unknownModel, observeRejection),
  ofPlainSlash(),
  probe('details/without-version', {}, (session) =>
    session.call({ path: ROUTES.listModels.path.replace(/^\/v1/, '') }),
  ),
  probe('details/unknown-path', {}, (session) =>
    session.call({ path: '/v1/conformance-no-such-path', authorization: null, isOpen: true }),
  ),
  probe('details/wrong-method', { writes: true }, (session) =>
    session.call({ method: 'POST', path: ROUTES.listModels.path, isOpen: true }),
  ),
  check('jobs/unknown', unknownJob, observeRejection),
  ofKeyInQuery(),
  check('limits/rate-limit-headers', firstPage, (response) => {
    const names = [...response.headers.keys()].filter((name) => /rate-?limit|retry-after/.test(name)).toSorted()
    return observe(names, `headers that show rate limits: ${show(names)}`, response)
  }),
  check('errors/request-id', firstPage, (response) => {
    const id = response.headers.get('x-request-id')
    return observe(id === null ? 'none' : 'sent', `x-request-id is ${show(id ?? undefined)}`, response)
  }),
]

/** The same of runs and cancels (sections 3, 4.3, 4.5 and 7). */
const OF_RUNS: readonly Check[] = [
  check('inputs/broken-json', brokenJson, observeRejection),
  ofBodies(),
  ofSync(),
  run('inputs/content-type', (input) => ({ text: JSON.stringify({ input, sync: false }), contentType: 'text/plain' })),
  run('inputs/unknown-member', (input) => ({ body: { input, sync: false, conformance: true } })),
  run('inputs/unknown-parameter', (input) => ({ body: { input: { ...input, conformance: true }, sync: false } })),
  run('inputs/plain-http-webhook', () => ({ webhook_url: 'http://webhook.invalid/conformance' })),
  ofSpecialValues(),
  check('inputs/webhook-url-scheme', otherScheme, observeRejection),
  check('permissions/no-credits', noCredits, observeRejection),
  ofCancel(),
  check('cancel/response-status', cancelled(), (cancel) => observe(cancel.status, `status ${cancel.status}`, cancel)),
  check('cancel/twice', defineScenario('cancelled-twice', { uses: [FIRST.cancelled] }, secondCancel), observeCancel),
  check('cancel/unknown-job', cancelledUnknown, observeCancel),
  ofFinished(),
]

export const OPEN_POINTS: readonly Check[] = [...OF_READS, ...OF_RUNS]

/** The key in the query, under common parameter names. A service may reject such a query for another reason. */
function ofKeyInQuery(): Check {
  const scenario = defineScenario('key-in-query', {}, (session) => {
    const query = ['api_key', 'key', 'token', 'access_token'].map((name) => `${name}=${session.options.apiKey}`)
    return session.call({ path: `${ROUTES.listModels.path}?${query.join('&')}`, authorization: null, isOpen: true })
  })
  return check('auth/key-in-query', scenario, (response) =>
    judge(response.status >= 400, `the key in the query: status ${response.status}; expected an error`, response),
  )
}

function ofSearch(id: string, search: Scenario<Search>, [found, missed]: [string, string]): Check {
  return check(id, search, ({ text, wanted, page }) => {
    const isFound = idsOf(page).includes(wanted)
    return observe(isFound ? found : missed, `${show(text)} is ${isFound ? '' : 'not '}found`, page)
  })
}

/** A model whose id holds a slash, with the slash as it is. */
function ofPlainSlash(): Check {
  const scenario = defineScenario('plain-slash', { uses: [firstPage] }, async (session) => {
    const list = await session.evidence(firstPage)
    const id = idsOf(list)
      .map(String)
      .find((one) => one.includes('/'))
    if (id === undefined) throw new BlockedError('no model on the first page has a slash in its id', list)
    const plain = id.split('/').map(encodeURIComponent).join('/')
    return { id, response: await session.call({ path: `${ROUTES.listModels.path}/${plain}` }) }
  })
  return check('details/plain-slash', scenario, ({ id, response }) => {
    const isServed = response.status === 200 && at(response.json, '/id') === id
    const observed = isServed ? 'served' : rejectionOf(response)
    return observe(observed, `${id} with a plain slash: ${rejectionText(response)}`, response)
  })
}

/** The first cancel of a job of an asynchronous run. */
function cancelled(): Scenario<ApiResponse> {
  return defineScenario('first-cancel', { uses: [FIRST.cancelled] }, async (session) => {
    await session.evidence(FIRST.cancelled)
    const cancel = worldOf(session).jobs.flatMap(({ cancels }) => cancels)[0]
    if (cancel === undefined) throw new BlockedError('no job was cancelled')
    return cancel
  })
}

function ofCancel(): Check {
  return check('cancel/response', cancelled(), (cancel) => {
    if (cancel.status >= 300) return skip(`the cancel was rejected: ${rejectionText(cancel)}`, cancel)
    const members = pointersOf(cancel.json)
    return observe(members, `status ${cancel.status} with ${members.length === 0 ? 'no body' : show(members)}`, cancel)
  })
}

/** A second cancel of the job that was cancelled. */
async function secondCancel(session: Session): Promise<ApiResponse> {
  await session.evidence(FIRST.cancelled)
  const job = worldOf(session).jobs.find(({ end }) => end !== undefined && jobStatus(end) === 'cancelled')
  if (job === undefined) throw new BlockedError('no job was cancelled')
  return cancelJob(session, job.jobId)
}

/** A cancel of a job that has succeeded. */
function ofFinished(): Check {
  const scenario = defineScenario('cancelled-finished', { uses: [FIRST.async] }, async (session) => {
    await session.evidence(FIRST.async)
    const job = worldOf(session).jobs.find(({ end }) => end !== undefined && jobStatus(end) === 'succeeded')
    if (job === undefined) throw new BlockedError('no job has succeeded')
    return { cancel: await cancelJob(session, job.jobId), after: await readJob(session, job.jobId) }
  })
  return check('cancel/finished', scenario, ({ cancel, after }) => {
    const observation = jobStatus(after) === 'succeeded' ? ineffective(cancel) : 'changed'
    return observe(observation, `${rejectionText(cancel)}; then the job is ${show(jobStatus(after))}`, [cancel, after])
  })
}

function observeCancel(cancel: ApiResponse): Finding {
  return observe(ineffective(cancel), rejectionText(cancel), cancel)
}

/** A cancel that changes nothing: an error, or a success with members of its own. */
function ineffective(cancel: ApiResponse) {
  return cancel.status >= 400 ? rejectionOf(cancel) : { ...rejectionOf(cancel), fields: pointersOf(cancel.json) }
}
