import { at, groupBy, isRecord, type JsonValue } from '../json.ts'
import { responsesOf, type World } from './world.ts'

type Members = Record<string, JsonValue>

export const PROVIDER_FAILURE = 'PROVIDER_FAILURE'

/** Whether a body says that the model run failed at the provider (section 7). */
export function isProviderFailure(body: unknown): boolean {
  return at(body, '/error/code') === PROVIDER_FAILURE
}

/** Longer values say nothing of the service in general. */
const MOST_CHARACTERS = 500

/** What the body of an error holds beside its code and message, with the values: that of the error in `error`. */
export function errorMembers(body: unknown): Members {
  const { error, ...beside } = isRecord(body) ? body : {}
  const { code, message, ...inside } = isRecord(error) ? error : {}
  return { ...short(beside), ...(Object.keys(inside).length === 0 ? {} : { error: short(inside) }) }
}

/** Without values that are long. */
export function short(members: Readonly<Record<string, unknown>>): Members {
  const shown = Object.entries(members).map(([name, value]) => {
    return [name, JSON.stringify(value).length > MOST_CHARACTERS ? null : value]
  })
  return Object.fromEntries(shown) // of JSON
}

/** Whether two are alike but for their values. */
export function isAlike(one: unknown, other: unknown): boolean {
  return shapeOf(one) === shapeOf(other)
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.slice(0, 1).map(shapeOf)}]`
  if (!isRecord(value)) return value === null ? 'null' : typeof value
  const names = Object.keys(value).toSorted()
  return `{${names.map((name) => `${name}:${shapeOf(value[name])}`)}}`
}

/** Of all errors by their kind, in the words of the assumption `errorMembers`: what most of a kind hold. */
export function membersOfErrors({ calls, sentRuns, jobs, session: { endpoints } }: World): Members {
  const codeOf = (json: unknown) => at(json, '/error/code')
  const rejected = responsesOf(calls)
    .filter(({ status, json }) => status >= 400 && status < 500 && !at(json, '/job_id'))
    .map(({ json }) => json)
    .filter((json) => codeOf(json) !== undefined && !isProviderFailure(json))
  const requests = mostOf(rejected) ?? {}
  const errorsIn = (bodies: readonly unknown[]) =>
    bodies.filter(isFailure).map((body) => ({ error: at(body, '/error') }))
  const runs = sentRuns.map(({ response: { json } }) => json).filter(isFailure)
  const found = {
    requests,
    unauthorized: mostOf(rejected.filter((json) => codeOf(json) === 'UNAUTHORIZED')),
    forbidden: mostOf(rejected.filter((json) => codeOf(json) === 'FORBIDDEN')),
    jobs: mostOf(errorsIn(jobs.flatMap(({ reads }) => reads.map(({ json }) => at(json, '/data'))))),
    runs: mostOf(runs.map(({ job_id, request_id, status, model_id, ...body }) => body)),
    deliveries: mostOf(errorsIn(endpoints.flatMap(({ deliveries }) => deliveries.map(({ json }) => json)))),
  }
  const general: Readonly<Record<string, Members>> = { unauthorized: requests, forbidden: requests }
  const isOwn = ([name, members]: [string, Members | undefined]) =>
    members !== undefined && !isAlike(members, general[name] ?? {})
  return Object.fromEntries(Object.entries(found).filter(isOwn)) as Members // none is undefined
}

function isFailure(body: unknown): body is Record<string, unknown> {
  const isFailed = at(body, '/status') === 'failed' || isProviderFailure(body)
  return isRecord(body) && isRecord(body.error) && isFailed
}

/** The members that most errors have, as the first of them shows it; `undefined` of no errors. */
function mostOf(bodies: readonly unknown[]): Members | undefined {
  const byShape = [...groupBy(bodies.map(errorMembers), shapeOf).values()]
  return byShape.toSorted((one, other) => other.length - one.length)[0]?.[0]
}
