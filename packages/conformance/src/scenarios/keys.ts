import { LIMITS, MODEL_CATEGORIES, ROUTES, type RouteName, routePath } from '@modelrun/contract'
import { defineScenario } from '../check.ts'
import { worldOf } from '../judges/world.ts'
import type { ResolvedOptions } from '../options.ts'
import type { ModelTarget } from '../plan/inputs.ts'
import { inTurn } from '../plan/runs.ts'
import { modelsOf } from '../plan/targets.ts'
import { cancelJob, jobIdIn, jobStatus, keyOfJob, readJob, startRun } from '../session/actions.ts'
import { almostKeys, LIMITED_KEYS, type LimitedKey, lacks } from '../session/keys.ts'
import type { Session, SessionCall } from '../session/session.ts'
import { firstPage, listModels } from './reads.ts'
import { FIRST, UNKNOWN_ID } from './runs.ts'

/** Have the form of a key, but do not exist. */
const INVALID_KEYS = { test: 'sk_test_conformance_no_such_key', live: 'sk_live_conformance_no_such_key' }

type Key = Pick<SessionCall, 'key' | 'authorization' | 'headers'>

/** A request to an endpoint with a key that is missing, wrong, or limited. */
interface KeyedCall {
  route: RouteName
  key: Key
  /** Of a limited key. */
  name?: LimitedKey | undefined
}

/** Where a limited key is rejected, and all that it does not do elsewhere: others run, and cancel what they ran. */
function isSent(name: LimitedKey, route: RouteName): boolean {
  const cannotRun = lacks(name, 'models:run')
  return route === 'runModel' || lacks(name, ROUTES[route].permission) || (route === 'cancelJob' && cannotRun)
}

const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[] // the keys of the constant
/** Those that need no run. */
const READ_NAMES: readonly RouteName[] = ['listModels', 'getModel']

/** No key, an invalid one, and a revoked one, at every endpoint; limited ones where they are rejected, and to run; the right one in wrong forms, each at one. */
function callsOf({ apiKey, keys, seed, depth, allowRuns }: ResolvedOptions): KeyedCall[] {
  const everywhere: { key: Key }[] = [{ key: { authorization: null } }, { key: { key: INVALID_KEYS.test } }]
  if (keys.revoked !== undefined) everywhere.push({ key: { key: keys.revoked } })
  const routes = allowRuns ? ROUTE_NAMES : READ_NAMES
  const somewhere: Key[] = [
    { key: INVALID_KEYS.live },
    ...Object.values(almostKeys(apiKey)).map((key) => ({ key })),
    { authorization: `Basic ${apiKey}` },
    { authorization: apiKey },
    { authorization: `Token ${apiKey}` },
    { authorization: 'Bearer' },
    { authorization: null, headers: { 'x-api-key': apiKey } },
  ]
  // Each round meets other queries, models and modes.
  return Array.from({ length: Math.max(1, depth) }).flatMap((_, round) => [
    ...everywhere.flatMap((one) => ROUTE_NAMES.map((route) => ({ route, ...one }))),
    ...LIMITED_KEYS.filter((name) => keys[name] !== undefined).flatMap((name) =>
      ROUTE_NAMES.filter((route) => isSent(name, route)).map((route) => ({ route, key: { key: keys[name] }, name })),
    ),
    ...somewhere.map((key, index) => ({ route: inTurn(routes, Math.abs(index + seed + round)) ?? 'listModels', key })),
  ])
}

/** Lists that are rejected whatever they ask for. */
const LISTS = [
  {},
  { category: MODEL_CATEGORIES[0] },
  { search: 'a' },
  { limit: 5, offset: 5 },
  { category: MODEL_CATEGORIES[1], search: 'e', limit: 1 },
  { limit: LIMITS.modelsPageMax },
  { offset: 20 },
] as const

/** Keys that must be rejected somewhere, where models are read. */
export const keysAtReads = defineScenario({ uses: [firstPage] }, async (session) => {
  const ids = modelsOf(await session.evidence(firstPage)).flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  for (const [index, { route, key }] of callsOf(session.options).entries()) {
    const id = ids[index % ids.length] ?? UNKNOWN_ID
    const query = LISTS[Math.abs(index + session.options.seed) % LISTS.length]
    if (route === 'listModels') await listModels(session, query, key)
    if (route === 'getModel') await session.call({ path: routePath(ROUTES.getModel, { id }), ...key })
  }
})

/** Says what is missing where no revoked key was given. */
export const revokedKey = defineScenario({ key: 'revoked' }, async () => undefined)

/** The same for runs, and for jobs that have ended: nothing is at stake when a rejection does not come. */
export const keysAtJobs = defineScenario(
  {
    writes: true,
    // Perhaps no other key can cancel the job of this one.
    costOf: ({ main }, { keys, depth }) =>
      keys['without-jobs-write'] === undefined ? 0 : Math.max(1, depth) * (main?.creditsPerRun ?? 0),
    mayUse: [FIRST.async, FIRST.cancelled],
  },
  async (session) => {
    // The job of another key may be of another account.
    const jobs = worldOf(session).jobs.filter(({ run }) => run.key.kind === 'full')
    const idOf = (status: string) => jobs.find(({ end }) => end && jobStatus(end) === status)?.jobId ?? UNKNOWN_ID
    const [ended, cancelled] = [idOf('succeeded'), idOf('cancelled')]
    const main = session.target('main')
    const targets = [main, ...(session.targets.others ?? [])]
    for (const [index, { route, key, name }] of callsOf(session.options).entries()) {
      // Only what must be rejected costs nothing.
      const isFree = name === undefined || lacks(name, 'models:run')
      const target = targets[isFree ? index % targets.length : 0] ?? main
      if (route === 'runModel') await runAndCancel(session, target, { key, name })
      if (route === 'getJob') await readJob(session, ended, { ...key, isOpen: isOpen(ended, key) })
      if (route === 'cancelJob') await cancelJob(session, cancelled, { ...key, isOpen: isOpen(cancelled, key) })
    }
  },
)

/** For an unknown job, a limited key may be rejected for one reason or the other. */
function isOpen(jobId: string, { key }: Key): boolean {
  return jobId === UNKNOWN_ID && key !== undefined && key !== INVALID_KEYS.test
}

/** A limited key does not wait for its result, so that what it runs can be cancelled. */
async function runAndCancel(session: Session, target: ModelTarget, { key, name }: Omit<KeyedCall, 'route'>) {
  const mode = name && (LIMITED_KEYS.indexOf(name) % 2 === 0 ? 'async' : 'async+webhook')
  const jobId = jobIdIn(await startRun(session, target, { ...session.modeOf(mode), ...key }))
  if (jobId !== undefined) await cancelJob(session, jobId, { key: keyOfJob(session, name, 'jobs:write') })
}
