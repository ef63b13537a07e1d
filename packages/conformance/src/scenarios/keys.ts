import { LIMITS, MODEL_CATEGORIES, ROUTES, type RouteName, routePath } from '@modelrun/contract'
import type { Scenario } from '../check.ts'
import { worldOf } from '../judges/world.ts'
import type { ResolvedOptions } from '../options.ts'
import { cancelJob, jobIdIn, pollJob, readJob, startRun } from '../session/actions.ts'
import { almostKeys, LIMITED_KEYS, type LimitedKey, lacks } from '../session/keys.ts'
import { inTurn, type Session, type SessionCall } from '../session/session.ts'
import { listModels, UNKNOWN_ID } from './reads.ts'
import { FIRST } from './runs.ts'

/** Have the form of a key, but do not exist. */
const INVALID_KEYS = { test: 'sk_test_conformance_no_such_key', live: 'sk_live_conformance_no_such_key' }

type Key = Pick<SessionCall, 'key' | 'authorization' | 'headers'>

/** A request to an endpoint with a key that is missing, wrong, or limited. */
interface KeyedCall {
  route: RouteName
  key: Key
  name?: LimitedKey | undefined
}

const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[] // the keys of the constant
/** Those that need no run. */
const READ_NAMES: readonly RouteName[] = ['listModels', 'getModel']

/** Where a limited key is rejected, and what it may do with jobs. It reads models elsewhere. */
function isSent(name: LimitedKey, route: RouteName): boolean {
  return !READ_NAMES.includes(route) || lacks(name, ROUTES[route].permission)
}

/** No key, an invalid one, and a revoked one, at every endpoint; limited ones; the right one in wrong forms, each at one endpoint. */
function keyedCalls({ apiKey, keys, allowRuns }: ResolvedOptions): KeyedCall[] {
  const everywhere: Key[] = [{ authorization: null }, { key: INVALID_KEYS.test }]
  if (keys.revoked !== undefined) everywhere.push({ key: keys.revoked })
  const somewhere: Key[] = [
    { key: INVALID_KEYS.live },
    ...almostKeys(apiKey).map((key) => ({ key })),
    ...[`Basic ${apiKey}`, apiKey, `Token ${apiKey}`, 'Bearer'].map((authorization) => ({ authorization })),
    { authorization: null, headers: { 'x-api-key': apiKey } },
  ]
  const routes = allowRuns ? ROUTE_NAMES : READ_NAMES
  return [
    ...everywhere.flatMap((key) => ROUTE_NAMES.map((route) => ({ route, key }))),
    ...LIMITED_KEYS.filter((name) => keys[name] !== undefined).flatMap((name) =>
      ROUTE_NAMES.filter((route) => isSent(name, route)).map((route) => ({ route, key: { key: keys[name] }, name })),
    ),
    ...somewhere.map((key, index) => ({ route: inTurn(routes, index + 1) ?? 'listModels', key })),
  ]
}

/** Lists that are rejected whatever they ask for. */
const LISTS = [
  {},
  { category: MODEL_CATEGORIES[0] },
  { search: 'a' },
  { limit: 5, offset: 5 },
  { category: MODEL_CATEGORIES[1], search: 'e', limit: 1 },
  { limit: LIMITS.modelsPageMax },
] as const

/** Keys that must be rejected somewhere, where models are read. */
export const keysAtReads: Scenario = {
  name: 'keys at reads of models',
  perform: async (session) => {
    const ids = session.models.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
    for (const [index, { route, key }] of keyedCalls(session.options).entries()) {
      const id = inTurn(ids, index) ?? UNKNOWN_ID
      if (route === 'listModels') await listModels(session, inTurn(LISTS, index), key)
      if (route === 'getModel') await session.call({ path: routePath(ROUTES.getModel, { id }), ...key })
    }
  },
}

/** Says what is missing where no revoked key was given. */
export const revokedKey: Scenario = { name: 'a revoked key', key: 'revoked', perform: async () => {} }

/** The same for runs, and for jobs that have ended: nothing is at stake when a rejection does not come. */
export const keysAtJobs: Scenario = {
  name: 'keys at runs and jobs',
  writes: true,
  // Its job cannot be cancelled: perhaps it belongs to another account.
  costOf: ({ main }, { keys }) => (keys['without-jobs-write'] === undefined ? 0 : (main?.creditsPerRun ?? 0)),
  after: [FIRST.async, FIRST.cancelled],
  perform: async (session) => {
    const { jobs } = worldOf(session)
    const idOf = (status: string) => jobs.find(({ outcome }) => outcome === status)?.jobId ?? UNKNOWN_ID
    const [ended, cancelled] = [idOf('succeeded'), idOf('cancelled')]
    for (const { route, key, name } of keyedCalls(session.options)) {
      const isRejected = name === undefined || lacks(name, 'models:run')
      if (route === 'runModel') await runAndCancel(session, { key, name })
      // Those that run read and cancel their own job.
      if (!isRejected && !lacks(name, ROUTES[route].permission)) continue
      if (route === 'getJob') await readJob(session, ended, { ...key, isOpen: isOpen(ended, key) })
      if (route === 'cancelJob') await cancelJob(session, cancelled, { ...key, isOpen: isOpen(cancelled, key) })
    }
  },
}

/** For an unknown job, a limited key may be rejected for one reason or the other. */
function isOpen(jobId: string, { key }: Key): boolean {
  return jobId === UNKNOWN_ID && key !== undefined && key !== INVALID_KEYS.test
}

/** A run that need not be accepted: it may need `jobs:write`, `models:read` or credits, and with a webhook `webhooks:manage` (section 5.7). */
const MAY_LACK: readonly LimitedKey[] = [
  'without-jobs-write',
  'without-models-read',
  'without-webhooks-manage',
  'no-credits',
]

/** The job of a limited key is read and cancelled with that key, as far as it may: it may belong to another account. */
async function runAndCancel(session: Session, { key, name }: Omit<KeyedCall, 'route'>) {
  // What runs does not wait for its result, so that it can be cancelled.
  const isOpenRun = name !== undefined && MAY_LACK.includes(name)
  const mode = name && (isOpenRun ? 'async+webhook' : 'async')
  const started = await startRun(session, session.target('main'), {
    ...session.modeOf(mode),
    ...key,
    isOpen: isOpenRun,
  })
  const jobId = jobIdIn(started)
  if (jobId === undefined) return
  if (name !== undefined && !lacks(name, 'jobs:read')) await readJob(session, jobId, key)
  if (name !== undefined && lacks(name, 'jobs:write')) await pollJob(session, jobId, key)
  else await cancelJob(session, jobId, { key: name && key.key })
}
