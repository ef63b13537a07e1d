import { LIMITS, MODEL_CATEGORIES, ROUTES } from '@modelrun/contract'
import { type Check, check, type Scenario } from '../check.ts'
import type { Answer } from '../http/answer.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { hasObject, hasText, isJson } from '../judge/answers.ts'
import { BlockedError, every, type Finding, judge } from '../judge/finding.ts'
import { hasOutput } from '../judge/output.ts'
import { missingFor } from '../plan/missing.ts'
import { jobStatus, readJob } from '../session/jobs.ts'
import type { Recorded, Session } from '../session/session.ts'
import { readsWithoutKey } from './auth-scenarios.ts'
import { firstPage } from './models-scenarios.ts'
import { asyncJob, defaultRunJob, type FollowedRun, failingJob } from './runs-scenarios.ts'

/** Every request of the checks before, with its response. */
const everything: Scenario<readonly Recorded[]> = {
  id: 'everything',
  uses: [firstPage, readsWithoutKey],
  perform: async (session) => {
    await session.evidence(firstPage)
    await session.evidence(readsWithoutKey)
    return [...session.recorded]
  },
}

/** A job that had ended, read again. */
interface SecondRead {
  before: Answer
  after: Answer
}

const ENDED: readonly Scenario<FollowedRun>[] = [defaultRunJob, asyncJob, failingJob]

const readsOfEnded: Scenario<readonly SecondRead[]> = {
  id: 'reads-of-ended',
  uses: [asyncJob],
  mayUse: ENDED,
  perform: async (session) => {
    const reads: SecondRead[] = []
    for (const scenario of ENDED) {
      const run = await followed(session, scenario)
      if (run !== undefined) reads.push({ before: run.watch.last, after: await readJob(session, run.watch.jobId) })
    }
    return reads
  },
}

/** A job that could not be followed is the concern of its own checks. */
async function followed(session: Session, scenario: Scenario<FollowedRun>): Promise<FollowedRun | undefined> {
  if (missingFor(scenario, session.options) !== undefined) return undefined
  try {
    return await session.evidence(scenario)
  } catch (error) {
    if (error instanceof BlockedError) return undefined
    throw error
  }
}

/** What all responses show together. They come last. */
export const AFTERWARDS_CHECKS: readonly Check[] = [
  check('jobs/stays-ended', readsOfEnded, (reads) => every(reads.map(isSameEnd))),
  check('jobs/every-poll', everything, (requests) => {
    const known = new Set(requests.filter(isRun).map(({ answer }) => at(answer.json, '/job_id')))
    const polls = requests.filter(({ method, path, isOwn }) => isOwn && method === 'GET' && known.has(jobIdIn(path)))
    return every(
      polls.map(({ answer }) => isPolled(answer)),
      'no job was polled',
    )
  }),
  check('jobs/every-output', everything, (requests) => {
    const done = requests.filter(({ method, answer }) => method === 'GET' && jobStatus(answer) === 'succeeded')
    return every(
      done.map(({ answer }) => hasOutput(answer, '/data/output')),
      'no job has succeeded',
    )
  }),
  check('runs/job-ids-differ', everything, (requests) => {
    const runs = requests.filter(isRun).filter(({ answer }) => typeof at(answer.json, '/job_id') === 'string')
    const ids = runs.map(({ answer }) => at(answer.json, '/job_id'))
    const repeated = runs.filter((_, index) => ids.indexOf(ids[index]) !== index)
    const answers = (repeated.length > 0 ? repeated : runs.slice(0, 2)).map(({ answer }) => answer)
    if (runs.length < 2) throw new BlockedError('fewer than two runs were accepted')
    return judge(repeated.length === 0, `${runs.length} runs have ${new Set(ids).size} different job_ids`, answers)
  }),
  check('models/every-list', everything, (requests) => every(requests.filter(isList).map(isWholeList))),
  check('models/every-entry', everything, (requests) =>
    every(requests.filter(isList).map(({ answer }) => hasEntries(answer))),
  ),
  check('errors/every-json', everything, (requests) =>
    every(requests.filter(hasBody).map(({ answer }) => isJson(answer))),
  ),
  check('errors/every-error', everything, (requests) =>
    every(
      requests.filter(isRejected).map(({ answer }) => isError(answer)),
      'nothing was rejected',
    ),
  ),
]

const isOfInterface = ({ path }: Recorded) => /^\/v1\/(models(\?|$|\/[^/]+$|\/[^/]+\/run$)|jobs\/[^/]+$)/.test(path)
const isRun = ({ method, answer }: Recorded) => method === 'POST' && answer.status < 300
const isList = ({ method, path, answer }: Recorded) =>
  method === 'GET' && path.replace(/\?.*/, '') === ROUTES.listModels.path && answer.status < 300
/** Rate limits, and the errors of what stands in front of a service, are open. */
const NOT_ITS_OWN: ReadonlySet<number> = /* @__PURE__ */ new Set([429, 502, 503, 504])
const isItsOwn = (one: Recorded) => isOfInterface(one) && !NOT_ITS_OWN.has(one.answer.status)
/** The response to a cancel is open. */
const hasBody = (one: Recorded) =>
  isItsOwn(one) && one.answer.text !== '' && !(one.method === 'DELETE' && one.answer.status < 300)
const isRejected = (one: Recorded) => isItsOwn(one) && one.answer.status >= 400

function jobIdIn(path: string): string {
  return decodeURIComponent(path.split('/').at(-1) ?? '')
}

function isPolled(answer: Answer): Finding {
  const isRight = answer.status < 300 && typeof jobStatus(answer) === 'string'
  return judge(isRight, `status ${answer.status}, /data/status ${show(jobStatus(answer))}; expected the job`, answer)
}

/** Judges that the second read shows the end that the first one showed. */
function isSameEnd({ before, after }: SecondRead): Finding {
  const shown = (answer: Answer) =>
    show([
      jobStatus(answer),
      at(answer.json, '/data/output/type'),
      itemsOf(at(answer.json, '/data/output/items')).length,
      at(answer.json, '/data/error/code'),
    ])
  const isRight = after.status < 300 && shown(before) === shown(after)
  const detail = `the job was ${shown(before)} (status, type and number of files, error code), and is ${shown(after)} later`
  return judge(isRight, detail, [before, after])
}

/** Judges limit, offset and total of a list by its query. Values that make no sense, or are above the maximum, are left out. */
function isWholeList({ path, answer }: Recorded): Finding {
  const query = new URLSearchParams(path.split('?')[1])
  const [limit, offset] = [query.get('limit'), query.get('offset')]
  const asked = Number(limit ?? LIMITS.modelsPageDefault)
  const isSensible = asked >= 1 && asked <= LIMITS.modelsPageMax && Number(offset ?? 0) >= 0
  if (!isSensible) return judge(true, `${path}: the response is open`, answer)
  const [models, total] = [at(answer.json, '/models'), at(answer.json, '/total')]
  const isRight =
    answer.status === 200 &&
    Array.isArray(models) &&
    models.length <= asked &&
    Number.isSafeInteger(total) &&
    at(answer.json, '/limit') === asked &&
    (offset === null ? Number.isSafeInteger(at(answer.json, '/offset')) : at(answer.json, '/offset') === Number(offset))
  const shown = ['limit', 'offset', 'total'].map((name) => `${name} ${show(at(answer.json, `/${name}`))}`)
  return judge(isRight, `${path}: status ${answer.status}, ${shown.join(', ')}, models ${show(models)}`, answer)
}

const TEXTS = ['id', 'name', 'description', 'category', 'provider', 'status']
const CATEGORIES: readonly unknown[] = MODEL_CATEGORIES

function hasEntries(answer: Answer): Finding {
  const strange = itemsOf(at(answer.json, '/models')).find((entry) => !isEntry(entry))
  return judge(strange === undefined, `an entry of the list is ${show(strange)}`, answer)
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

function isError(answer: Answer): Finding {
  return every([hasObject(answer, '/error'), hasText(answer, '/error/code'), hasText(answer, '/error/message')])
}
