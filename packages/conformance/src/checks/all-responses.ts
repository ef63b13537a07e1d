import { LIMITS, MODEL_CATEGORIES, ROUTES } from '@modelrun/contract'
import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { BlockedError, every, type Finding, judge } from '../judge/finding.ts'
import { hasOutput } from '../judge/output.ts'
import { hasObject, hasText, isJson } from '../judge/responses.ts'
import { missingFor } from '../plan/missing.ts'
import { jobStatus, readJob } from '../session/jobs.ts'
import type { Recorded, Session } from '../session/session.ts'
import { readsWithoutKey } from './auth.ts'
import { firstPage } from './models-scenarios.ts'
import { asyncJob, defaultRunJob, failingJob, type PolledRun } from './runs.ts'

/** Every request of the earlier checks, with its response. */
const everything = defineScenario('everything', { uses: [firstPage, readsWithoutKey] }, async (session) => {
  await session.evidence(firstPage)
  await session.evidence(readsWithoutKey)
  return [...session.recorded]
})

/** A finished job, read twice. */
interface SecondRead {
  before: ApiResponse
  after: ApiResponse
}

const ENDED: readonly Scenario<PolledRun>[] = [defaultRunJob, asyncJob, failingJob]

const readsOfEnded = defineScenario('reads-of-ended', { uses: [asyncJob], mayUse: ENDED }, async (session) => {
  const reads: SecondRead[] = []
  for (const scenario of ENDED) {
    const run = await polledRun(session, scenario)
    if (run !== undefined) reads.push({ before: run.polled.last, after: await readJob(session, run.polled.jobId) })
  }
  return reads
})

/** `undefined` when the job could not be polled: its own checks report that. */
async function polledRun(session: Session, scenario: Scenario<PolledRun>): Promise<PolledRun | undefined> {
  if (missingFor(scenario, session.options) !== undefined) return undefined
  try {
    return await session.evidence(scenario)
  } catch (error) {
    if (error instanceof BlockedError) return undefined
    throw error
  }
}

/** Checks over all recorded responses. They run last. */
export const ALL_RESPONSES_CHECKS: readonly Check[] = [
  check('jobs/stays-ended', readsOfEnded, (reads) => every(reads.map(isSameEnd))),
  check('jobs/every-poll', everything, (requests) => {
    const known = new Set(requests.filter(isRun).map(({ response }) => at(response.json, '/job_id')))
    const polls = requests.filter(({ method, path, isOwn }) => isOwn && method === 'GET' && known.has(jobIdIn(path)))
    return every(
      polls.map(({ response }) => isPolled(response)),
      'no job was polled',
    )
  }),
  check('jobs/every-output', everything, (requests) => {
    const done = requests.filter(({ method, response }) => method === 'GET' && jobStatus(response) === 'succeeded')
    return every(
      done.map(({ response }) => hasOutput(response, '/data/output')),
      'no job has succeeded',
    )
  }),
  check('runs/job-ids-differ', everything, (requests) => {
    const runs = requests.filter(isRun).filter(({ response }) => typeof at(response.json, '/job_id') === 'string')
    const ids = runs.map(({ response }) => at(response.json, '/job_id'))
    const repeated = runs.filter((_, index) => ids.indexOf(ids[index]) !== index)
    const responses = (repeated.length > 0 ? repeated : runs.slice(0, 2)).map(({ response }) => response)
    if (runs.length < 2) throw new BlockedError('fewer than two runs were accepted')
    return judge(repeated.length === 0, `${runs.length} runs have ${new Set(ids).size} different job_ids`, responses)
  }),
  check('models/every-list', everything, (requests) => every(requests.filter(isList).map(isWholeList))),
  check('models/every-entry', everything, (requests) =>
    every(requests.filter(isList).map(({ response }) => hasEntries(response))),
  ),
  check('errors/every-json', everything, (requests) =>
    every(requests.filter(hasBody).map(({ response }) => isJson(response))),
  ),
  check('errors/every-error', everything, (requests) =>
    every(
      requests.filter(isRejected).map(({ response }) => isError(response)),
      'nothing was rejected',
    ),
  ),
]

const isOfInterface = ({ path }: Recorded) => /^\/v1\/(models(\?|$|\/[^/]+$|\/[^/]+\/run$)|jobs\/[^/]+$)/.test(path)
const isRun = ({ method, response }: Recorded) => method === 'POST' && response.status < 300
const isList = ({ method, path, response }: Recorded) =>
  method === 'GET' && path.replace(/\?.*/, '') === ROUTES.listModels.path && response.status < 300
/** Rate limits, and the errors of what stands in front of a service, are open. */
const NOT_ITS_OWN: ReadonlySet<number> = /* @__PURE__ */ new Set([429, 502, 503, 504])
const isItsOwn = (one: Recorded) => isOfInterface(one) && !NOT_ITS_OWN.has(one.response.status)
/** The response to a cancel is open. */
const hasBody = (one: Recorded) =>
  isItsOwn(one) && one.response.text !== '' && !(one.method === 'DELETE' && one.response.status < 300)
const isRejected = (one: Recorded) => isItsOwn(one) && one.response.status >= 400

function jobIdIn(path: string): string {
  return decodeURIComponent(path.split('/').at(-1) ?? '')
}

function isPolled(response: ApiResponse): Finding {
  const isRight = response.status < 300 && typeof jobStatus(response) === 'string'
  return judge(
    isRight,
    `status ${response.status}, /data/status ${show(jobStatus(response))}; expected the job`,
    response,
  )
}

/** Judges that the second read shows the end that the first one showed. */
function isSameEnd({ before, after }: SecondRead): Finding {
  const shown = (response: ApiResponse) =>
    show([
      jobStatus(response),
      at(response.json, '/data/output/type'),
      itemsOf(at(response.json, '/data/output/items')).length,
      at(response.json, '/data/error/code'),
    ])
  const isRight = after.status < 300 && shown(before) === shown(after)
  const detail = `the job was ${shown(before)} (status, type and number of files, error code), and is ${shown(after)} later`
  return judge(isRight, detail, [before, after])
}

/** Judges limit, offset and total of a list by its query. Values that make no sense, or are above the maximum, are left out. */
function isWholeList({ path, response }: Recorded): Finding {
  const query = new URLSearchParams(path.split('?')[1])
  const [limit, offset] = [query.get('limit'), query.get('offset')]
  const asked = Number(limit ?? LIMITS.modelsPageDefault)
  const isSensible = asked >= 1 && asked <= LIMITS.modelsPageMax && Number(offset ?? 0) >= 0
  if (!isSensible) return judge(true, `${path}: the response is open`, response)
  const [models, total] = [at(response.json, '/models'), at(response.json, '/total')]
  const isRight =
    response.status === 200 &&
    Array.isArray(models) &&
    models.length <= asked &&
    Number.isSafeInteger(total) &&
    at(response.json, '/limit') === asked &&
    (offset === null
      ? Number.isSafeInteger(at(response.json, '/offset'))
      : at(response.json, '/offset') === Number(offset))
  const shown = ['limit', 'offset', 'total'].map((name) => `${name} ${show(at(response.json, `/${name}`))}`)
  return judge(isRight, `${path}: status ${response.status}, ${shown.join(', ')}, models ${show(models)}`, response)
}

const TEXTS = ['id', 'name', 'description', 'category', 'provider', 'status']
const CATEGORIES: readonly unknown[] = MODEL_CATEGORIES

function hasEntries(response: ApiResponse): Finding {
  const unexpected = itemsOf(at(response.json, '/models')).find((entry) => !isEntry(entry))
  return judge(unexpected === undefined, `an entry of the list is ${show(unexpected)}`, response)
}

function isEntry(entry: unknown): boolean {
  return (
    isRecord(entry) &&
    TEXTS.every((name) => typeof entry[name] === 'string') &&
    CATEGORIES.includes(entry.category) &&
    Number.isSafeInteger(at(entry, '/pricing/credits_per_run')) &&
    !Object.hasOwn(entry, 'input_schema')
  )
}

function isError(response: ApiResponse): Finding {
  return every([hasObject(response, '/error'), hasText(response, '/error/code'), hasText(response, '/error/message')])
}
