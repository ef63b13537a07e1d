import { type Permission, ROUTES, type RouteName, routePath } from '@modelrun/contract'
import { defineScenario } from '../check.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import type { ResolvedOptions } from '../options.ts'
import { missingFor } from '../plan/missing.ts'
import { almostKeys } from '../session/almost-keys.ts'
import { cancelJob, readJob } from '../session/jobs.ts'
import { startRun } from '../session/runs.ts'
import { LACKS } from '../session/sent-key.ts'
import type { Session, SessionCall } from '../session/session.ts'
import { cancelledQueued } from './cancel-scenarios.ts'
import { firstPage, listModels, modelsOf } from './models-scenarios.ts'
import { asyncJob } from './runs.ts'
import { UNKNOWN_ID } from './unknown-id.ts'

/** Have the form of a key, but do not exist. */
const INVALID_KEYS = { test: 'sk_test_conformance_no_such_key', live: 'sk_live_conformance_no_such_key' }

type Key = Pick<SessionCall, 'key' | 'authorization' | 'headers'>

/** A request to an endpoint with a key that is missing, wrong, or limited. */
interface KeyedCall {
  route: RouteName
  key: Key
}

const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[] // the keys of the constant

/** No key, an invalid one, and a revoked one, at every endpoint; the right one in wrong forms, each at one. */
function wrongCalls({ apiKey, keys, seed, allowRuns }: ResolvedOptions): KeyedCall[] {
  const everywhere: Key[] = [{ authorization: null }, { key: INVALID_KEYS.test }]
  if (keys.revoked !== undefined) everywhere.push({ key: keys.revoked })
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
    ...everywhere.flatMap((key) => ROUTE_NAMES.map((route) => ({ route, key }))),
    ...somewhere.flatMap((key, index) => {
      const route = ROUTE_NAMES[Math.abs(index + seed) % ROUTE_NAMES.length] ?? 'listModels'
      // The list is the same for every service.
      return [{ route: 'listModels' as const, key }, ...(allowRuns && route !== 'listModels' ? [{ route, key }] : [])]
    }),
  ]
}

/** Every limited key at every endpoint. */
function limitedCalls({ keys }: ResolvedOptions): KeyedCall[] {
  return Object.entries(LACKS).flatMap(([name, lacks]) => {
    const key = keys[name as keyof typeof LACKS] // a key of the constant
    const lacked: readonly Permission[] = lacks
    const routes = ROUTE_NAMES.flatMap((route) => {
      if (route !== 'runModel') return [route]
      // In three modes.
      return lacked.includes('models:run') ? [route, route, route] : [route]
    })
    return key === undefined ? [] : routes.map((route) => ({ route, key: { key } }))
  })
}

const callsOf = (options: ResolvedOptions) => [...wrongCalls(options), ...limitedCalls(options)]

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
    runs: { main: (_, options) => callsOf(options).filter(({ route }) => route === 'runModel').length },
    mayUse: [asyncJob, cancelledQueued],
  },
  async (session) => {
    const [ended, cancelled] = [await idOf(session, asyncJob), await idOf(session, cancelledQueued)]
    for (const { route, key } of callsOf(session.options)) {
      if (route === 'runModel') await runAndCancel(session, key)
      if (route === 'getJob') await readJob(session, ended, { ...key, isOpen: isOpen(ended, key) })
      if (route === 'cancelJob') await cancelJob(session, cancelled, { ...key, isOpen: isOpen(cancelled, key) })
    }
  },
)

/** For an unknown job, a limited key may be rejected for one reason or the other. */
function isOpen(jobId: string, { key }: Key): boolean {
  return jobId === UNKNOWN_ID && key !== undefined && key !== INVALID_KEYS.test
}

type JobScenario = typeof asyncJob | typeof cancelledQueued

/** Without the job, the endpoint is asked for one that is not there. */
async function idOf(session: Session, scenario: JobScenario): Promise<string> {
  if (missingFor(scenario, session.options) !== undefined) return UNKNOWN_ID
  const evidence = await session
    .evidence<{ polled: { jobId: string } } | { after: { jobId: string } }>(scenario)
    .catch((error: unknown) => {
      if (error instanceof BlockedError) return undefined
      throw error
    })
  if (evidence === undefined) return UNKNOWN_ID
  return 'polled' in evidence ? evidence.polled.jobId : evidence.after.jobId
}

async function runAndCancel(session: Session, key: Key): Promise<ApiResponse> {
  const response = await startRun(session, 'main', { ...session.nextMode(), ...key })
  const jobId = at(response.json, '/job_id')
  // By its own key: the job may belong to another account. One that may not cancel is rejected.
  if (typeof jobId === 'string') await cancelJob(session, jobId, key)
  return response
}
