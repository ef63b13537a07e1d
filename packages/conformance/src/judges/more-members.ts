import { observe } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, isRecord, itemsOf, type JsonValue, pointersOf, show } from '../json.ts'
import { modelsOf } from '../plan/targets.ts'
import { isAlike, short } from './error-members.ts'
import type { Shown } from './rules.ts'
import { allCancels, responsesOf, type World } from './world.ts'

const IDENTITY = ['job_id', 'request_id', 'status', 'model_id']
const named = (members: Readonly<Record<string, readonly string[]>>) => (status: string) => members[status]

/** Members that section 4.3 names, by the status that the response says. */
export const OF_RUNS = /* @__PURE__ */ named({
  completed: [...IDENTITY, 'output', 'duration_ms', 'credits_used'],
  queued: IDENTITY,
  processing: [...IDENTITY, 'message'],
  failed: [...IDENTITY, 'error'],
  cancelled: [...IDENTITY, 'error'],
})
/** The same of section 6, by the status of the delivery. */
export const OF_DELIVERIES = /* @__PURE__ */ named({
  succeeded: ['job_id', 'status', 'output', 'credits_used', 'completed_at'],
  failed: ['job_id', 'status', 'error'],
  cancelled: ['job_id', 'status'],
})
/** And of section 4.4. */
export const OF_JOBS = () => ['status', 'output', 'error']

type Seen = readonly [status: string, name: string, value: unknown]
type Named = (status: string) => readonly string[] | undefined

const jsonOf = (shown: readonly Pick<Shown, 'json'>[], below = '') => shown.map(({ json }) => at(json, below))

/** Members of bodies that are not named, each with the status of its body. */
function moreIn(bodies: readonly unknown[], namedOf: Named): Seen[] {
  return bodies.flatMap((body) => {
    const status = String(at(body, '/status'))
    const known = namedOf(status)
    const members = isRecord(body) && known !== undefined ? Object.entries(body) : []
    return members.flatMap(([name, value]) => (known?.includes(name) ? [] : [[status, name, value] as const]))
  })
}

/**
 * Records members that are not named, each behind its status, as in `queued/created_at`.
 *
 * @param below where the members are; what stands beside that is recorded with a slash, as in `/success`
 * @param isShort whether those of every status stand there once, without it
 */
export function observeMore(bodies: readonly Shown[], namedOf: Named, { below = '', isShort = false } = {}) {
  const shown = jsonOf(bodies, below)
  const statuses = new Set(shown.map((body) => String(at(body, '/status'))).filter(namedOf))
  const seen = moreIn(shown, namedOf).map(([status, name]) => ({ name, field: `${status}/${name}` }))
  const fields = new Set(seen.map(({ field }) => field))
  const isOfAll = (name: string) => isShort && [...statuses].every((status) => fields.has(`${status}/${name}`))
  const names = [...new Set(seen.map(({ name, field }) => (isOfAll(name) ? name : field)))]
  const besides =
    below === '' ? [] : jsonOf(bodies).flatMap((body) => Object.keys(Object(body)).map((name) => `/${name}`))
  const all = [...names, ...new Set(besides.filter((pointer) => pointer !== below))].toSorted()
  return observe(all, `members that are not named: ${show(all)}`, bodies)
}

/** Members that stand anywhere in a body, by their last names. Those of its error are other ones. */
function flat(body: unknown): Readonly<Record<string, unknown>> {
  const pointers = pointersOf(body).filter((pointer) => !pointer.startsWith('/error'))
  return Object.fromEntries(pointers.map((pointer) => [pointer.split('/').at(-1), at(body, pointer)]))
}

/**
 * Records the first value of each member that is not named, in runs, jobs, cancels and deliveries. In a status in which it is of
 * another type, it stands behind the status, and behind `runs` where only responses to runs differ.
 */
export function observeValues({ sentRuns, jobs, session: { endpoints } }: World) {
  const responses = responsesOf(sentRuns)
  const failed = responsesOf(sentRuns.filter(({ says }) => says === 'failed'))
  const reads = jobs.flatMap((job) => job.reads)
  const cancels = jobs.flatMap(allCancels).filter(({ status }) => status < 300)
  const ofRuns = moreIn(jsonOf(responses), OF_RUNS)
  const seen = [
    ...ofRuns,
    ...moreIn(jsonOf(reads, '/data'), OF_JOBS),
    ...moreIn(jsonOf(reads.filter(({ status }) => status < 300)), () => ['data']),
    ...moreIn(jsonOf(endpoints.flatMap(({ deliveries }) => deliveries)), OF_DELIVERIES),
    ...moreIn(jsonOf([...cancels, ...failed]).map(flat), () => [...IDENTITY, 'message']),
  ]
  const values = firstValues(seen)
  const byStatus = firstValues(seen.map(([status, name, value]) => [status, `${status}/${name}`, value]))
  const byRun = firstValues(ofRuns.map(([status, name, value]) => [status, `runs/${status}/${name}`, value]))
  const all = { ...values, ...byStatus }
  const isOwn = (field: string, value: unknown) => !isAlike(value, all[field.slice(field.indexOf('/') + 1)])
  const own = Object.entries({ ...byStatus, ...byRun }).filter(([field, value]) => isOwn(field, value))
  const shown = short({ ...values, ...Object.fromEntries(own) })
  return observe(shown, `values of members that are not named: ${show(shown)}`, responses)
}

/** By name. What is null at first may have a value later. */
function firstValues(seen: readonly Seen[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>()
  for (const [, name, value] of seen) if ((values.get(name) ?? null) === null) values.set(name, value)
  return Object.fromEntries(values)
}

const OF_LISTS = ['models', 'total', 'limit', 'offset']
const OF_MODELS = ['id', 'name', 'description', 'category', 'provider', 'status', 'pricing', 'input_schema']

/** Records the same of lists, where pages follow and on the last page, of their entries and of details. */
export function observeLists({ lists, details }: World) {
  const of = (bodies: readonly unknown[], known: readonly string[]) => short(firstValues(moreIn(bodies, () => known)))
  const ofModels = (models: readonly unknown[]) => {
    const pricing = of(
      models.map((model) => at(model, '/pricing')),
      ['credits_per_run'],
    )
    return { ...of(models, OF_MODELS), ...(Object.keys(pricing).length > 0 && { pricing }) }
  }
  const pages = responsesOf(lists)
  const isLast = ({ json }: ApiResponse) =>
    Number(at(json, '/offset')) + itemsOf(at(json, '/models')).length >= Number(at(json, '/total'))
  const all = {
    more: of(jsonOf(pages.filter((one) => !isLast(one))), OF_LISTS),
    last: of(jsonOf(pages.filter(isLast)), OF_LISTS),
    entries: ofModels(pages.flatMap(modelsOf)),
    details: ofModels(jsonOf(responsesOf(details))),
  }
  const shown = Object.fromEntries(Object.entries(all).filter(([, members]) => Object.keys(members).length > 0))
  return observe(shown, `members that are not named: ${show(shown)}`, pages)
}

/** The body of a run that failed while it was held: in a word, or where its members are. */
export function failedBody({ status, json }: ApiResponse): JsonValue {
  const state = at(json, '/status')
  const members = new Set(pointersOf(json).map((pointer) => pointer.replace(/^\/error\/.*$/, '/error')))
  const isContinued = status === 202 && state === 'processing'
  const isWhole = IDENTITY.every((name) => members.has(`/${name}`))
  if (isWhole && (isContinued || (status !== 202 && members.has('/error')))) return 'job'
  if (members.size === 1 && members.has('/error') && status >= 400) return 'error'
  return state === undefined || state === 'failed' ? [...members] : { state: String(state), members: [...members] }
}
