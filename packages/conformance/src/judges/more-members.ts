import { observe } from '../finding.ts'
import type { ApiResponse } from '../http/caller.ts'
import { at, isRecord, type JsonValue, pointersOf, show } from '../json.ts'
import type { Shown } from './rules.ts'

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

/**
 * Records members that are not named, each behind its status, as in `queued/created_at`.
 *
 * @param below where the members are
 * @param isShort whether those of every status stand there once, without it
 */
export function observeMore(
  bodies: readonly Shown[],
  namedOf: (status: string) => readonly string[] | undefined,
  { below = '', isShort = false } = {},
) {
  const holders = new Map<string, Set<string>>()
  const statuses = new Set<string>()
  for (const { json } of bodies) {
    const [status, members] = [String(at(json, `${below}/status`)), at(json, below)]
    const known = namedOf(status)
    if (!isRecord(members) || known === undefined) continue
    statuses.add(status)
    for (const name of Object.keys(members).filter((one) => !known.includes(one)))
      holders.set(name, (holders.get(name) ?? new Set()).add(status))
  }
  const names = [...holders].flatMap(([name, some]) =>
    isShort && some.size === statuses.size ? [name] : [...some].map((status) => `${status}/${name}`),
  )
  return observe(names.toSorted(), `members that are not named: ${show(names)}`, bodies)
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
