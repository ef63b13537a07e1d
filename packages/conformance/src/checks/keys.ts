import { ROUTES, type RouteName, routePath } from '@modelrun/contract'
import { defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at } from '../json.ts'
import { worldOf } from '../judges/world.ts'
import type { ResolvedOptions } from '../options.ts'
import { lacks } from '../plan/crossed-runs.ts'
import { modelsOf } from '../plan/whole-list.ts'
import { almostKeys } from '../session/almost-keys.ts'
import { cancelJob, jobStatus, readJob } from '../session/jobs.ts'
import { startRun } from '../session/runs.ts'
import { LIMITED_KEYS, type LimitedKey } from '../session/sent-key.ts'
import type { Session, SessionCall } from '../session/session.ts'
import { cancelledQueued } from './cancel.ts'
import { keyOfJob } from './crossed.ts'
import { UNKNOWN_ID } from './details.ts'
import { firstPage, listModels } from './models.ts'
import { asyncJob } from './runs.ts'

/** Have the form of a key, but do not exist. */
const INVALID_KEYS = { test: 'sk_test_conformance_no_such_key', live: 'sk_live_conformance_no_such_key' }

type Key = Pick<SessionCall, 'key' | 'authorization' | 'headers'>

/** A request to an endpoint with a key that is missing, wrong, or limited. */
interface KeyedCall {
  route: RouteName
  key: Key
  /** Of a limited key. */
  name?: LimitedKey
}

/** Where a limited key is rejected, and all that it does not do elsewhere: others run, and cancel what they ran. */
function isSent(name: LimitedKey, route: RouteName): boolean {
  const cannotRun = lacks(name, 'models:run')
  return route === 'runModel' || lacks(name, ROUTES[route].permission) || (route === 'cancelJob' && cannotRun)
}

const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[] // the keys of the constant

/** No key, an invalid one, and a revoked one, at every endpoint; limited ones where they are rejected, and to run; the right one in wrong forms, each at one. */
function callsOf({ apiKey, keys, seed, allowRuns }: ResolvedOptions): KeyedCall[] {
  const everywhere: { key: Key }[] = [{ key: { authorization: null } }, { key: { key: INVALID_KEYS.test } }]
  if (keys.revoked !== undefined) everywhere.push({ key: { key: keys.revoked } })
  const somewhere: Key[] = [
    { key: INVALID_KEYS.live },
    ...Object.values(almostKeys(apiKey)).map((key) => ({ key })),
    { authorization: `Basic ${apiKey}` },
    { authorization: apiKey },
    { authorization: `Token ${apiKey}` },
    { authorization: 'Bearer' },
    { authorization: null, headers: { 'x-api-key': apiKey } },
  ]
  return [
    ...everywhere.flatMap((one) => ROUTE_NAMES.map((route) => ({ route, ...one }))),
    ...LIMITED_KEYS.filter((name) => keys[name] !== undefined).flatMap((name) =>
      ROUTE_NAMES.filter((route) => isSent(name, route)).map((route) => ({
        route,
        key: { key: keys[name] },
        name,
      })),
    ),
    ...somewhere.flatMap((key, index) => {
      const route = ROUTE_NAMES[Math.abs(index + seed) % ROUTE_NAMES.length] ?? 'listModels'
      // The list is the same for every service.
      return [{ route: 'listModels' as const, key }, ...(allowRuns && route !== 'listModels' ? [{ route, key }] : [])]
    }),
  ]
}

/** Keys that must be rejected somewhere, where models are read. */
export const keysAtReads = defineScenario('keys-at-reads', { uses: [firstPage] }, async (session) => {
  const [model] = modelsOf(await session.evidence(firstPage))
  const id = typeof model?.id === 'string' ? model.id : UNKNOWN_ID
  for (const { route, key } of callsOf(session.options)) {
    if (route === 'listModels') await listModels(session, {}, key)
    if (route === 'getModel') await session.call({ path: routePath(ROUTES.getModel, { id }), ...key })
  }
})

/** Says what is missing where no revoked key was given. */
export const revokedKey = defineScenario('revoked-key', { keys: ['revoked'] }, async () => undefined)

/** The same for runs, and for jobs that have ended: nothing is at stake when a rejection does not come. */
export const keysAtJobs = defineScenario(
  'keys-at-jobs',
  {
    // Perhaps no other key can cancel its job.
    runs: { main: (_, { keys }) => (keys['without-jobs-write'] === undefined ? 0 : 1) },
    mayUse: [asyncJob, cancelledQueued],
  },
  async (session) => {
    const { jobs } = worldOf(session)
    const idOf = (status: string) => jobs.find(({ end }) => end && jobStatus(end) === status)?.jobId ?? UNKNOWN_ID
    const [ended, cancelled] = [idOf('succeeded'), idOf('cancelled')]
    const runs = new Map<LimitedKey | undefined, ApiResponse>()
    for (const { route, key, name } of callsOf(session.options)) {
      if (route === 'runModel') runs.set(name, await runAndCancel(session, key, name))
      if (route === 'getJob') await readJob(session, ended, { ...key, isOpen: isOpen(ended, key) })
      if (route === 'cancelJob') await cancelJob(session, cancelled, { ...key, isOpen: isOpen(cancelled, key) })
    }
    return runs
  },
)

/** For an unknown job, a limited key may be rejected for one reason or the other. */
function isOpen(jobId: string, { key }: Key): boolean {
  return jobId === UNKNOWN_ID && key !== undefined && key !== INVALID_KEYS.test
}

/** A limited key does not wait for its result, so that what it runs can be cancelled. */
async function runAndCancel(session: Session, key: Key, name: LimitedKey | undefined): Promise<ApiResponse> {
  const mode = name && (LIMITED_KEYS.indexOf(name) % 2 === 0 ? 'async' : 'async+webhook')
  const response = await startRun(session, 'main', { ...session.modeOf(mode), ...key })
  const jobId = at(response.json, '/job_id')
  if (typeof jobId === 'string') await cancelJob(session, jobId, { key: keyOfJob(session, name, 'jobs:write') })
  return response
}
