import { LIMITS, MODEL_CATEGORIES, type Permission, ROUTES, routePath } from '@modelrun/contract'
import { defineScenario } from '../check.ts'
import { type ApiResponse, NoResponseError } from '../http/api-response.ts'
import { at } from '../json.ts'
import { BlockedError } from '../judge/finding.ts'
import { type CrossedRun, costOfAll, crossedRunsOf, lacks, namesOf } from '../plan/crossed-runs.ts'
import { crossed } from '../plan/crossing.ts'
import { targetsOf } from '../plan/targets.ts'
import { cancelJob, jobStatus, pollJob, readJob } from '../session/jobs.ts'
import { startRunOf } from '../session/runs.ts'
import type { LimitedKey } from '../session/sent-key.ts'
import type { Session } from '../session/session.ts'
import { knownTexts, listModels, sharedWords, wholeList } from './models.ts'

/**
 * Runs in which model, key, mode, webhook, and cancel meet pairwise: a fault that shows in one corner only is met there. They
 * are judged like every other. What they cost at most is an option.
 */
export const crossedRuns = defineScenario(
  'crossed-runs',
  {
    runs: { main: 0 },
    costOf: (targets, options) => costOfAll(crossedRunsOf(targets, options)),
  },
  async (session) => {
    const runs = crossedRunsOf(session.targets, session.options)
    // Most cancelled runs come first, one after the other: what is charged then is charged for one of them. The others meet runs
    // that continue.
    const isAlone = ({ cancel, key }: CrossedRun, index: number) =>
      cancel !== 'never' && key === undefined && index % 3 !== 0
    const alone = runs.filter(isAlone)
    for (const run of [...alone, ...runs.filter((one) => !alone.includes(one))]) {
      await unlessBlocked(() => perform(session, run))
      await session.mark()
    }
  },
)

async function perform(session: Session, { target, key: name, sync, receiver, cancel }: CrossedRun): Promise<void> {
  const key = name && session.options.keys[name]
  const hook = receiver === 'none' ? {} : { webhook_url: session.webhookEndpoints.open(receiver).url }
  const started = await startRunOf(session, target, { sync, key, ...hook })
  const jobId = at(started.json, '/job_id')
  if (typeof jobId !== 'string' || cancel === 'never') return
  if (cancel === 'when processing') {
    const until = (read: ApiResponse) => jobStatus(read) !== 'queued'
    await pollJob(session, jobId, { until, key: keyOfJob(session, name, 'jobs:read') })
  }
  // Shows that the run was held for its slowness, and not until it failed.
  if (cancel === 'after the hold') await readJob(session, jobId, { key: keyOfJob(session, name, 'jobs:read') })
  await cancelJob(session, jobId, { key: keyOfJob(session, name, 'jobs:write') })
  // Now it is known to be free.
  await readJob(session, jobId, { key: keyOfJob(session, name, 'jobs:read') })
}

/** The key of the run where it has the permission: the job may belong to its account. */
export function keyOfJob({ options }: Session, name: LimitedKey | undefined, needed: Permission): string | undefined {
  return name === undefined || lacks(name, needed) ? undefined : options.keys[name]
}

/** What cannot be had is judged where it is needed. */
async function unlessBlocked(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof BlockedError || error instanceof NoResponseError)) throw error
  }
}

const MOST_LISTS = 27
const MOST_MODELS = 8
const MOST_DETAILS = 12

/** Where a page starts. */
const PLACES = {
  unsaid: () => undefined,
  start: () => 0,
  second: () => 1,
  middle: (total) => Math.floor(total / 2),
  'last page': (total, limit) => Math.max(0, Math.floor((total - 1) / limit) * limit),
  end: (total) => total,
} as const satisfies Record<string, (total: number, limit: number) => number | undefined>

/** Lists in which filters, page and key meet, and details with the same keys. Reads are free. */
export const crossedReads = defineScenario('crossed-reads', { uses: [wholeList] }, async (session) => {
  const { models } = await session.evidence(wholeList)
  const { seed, keys } = session.options
  const limited = namesOf(session.options, 'models:read')
  const names = [undefined, undefined, ...limited]
  const lists = crossed(
    {
      category: [undefined, ...MODEL_CATEGORIES],
      search: [undefined, undefined, ...(await knownTexts(session)).slice(1, 2), ...sharedWords(models).slice(0, 2)],
      limit: [undefined, 1, 3, 7, LIMITS.modelsPageMax],
      place: Object.keys(PLACES) as (keyof typeof PLACES)[], // the keys of the constant
      key: names,
    },
    {
      seed,
      most: MOST_LISTS,
      // A last page is one of several.
      isPossible: ({ limit, place }) => place !== 'last page' || (limit !== undefined && limit < 10),
    },
  )
  for (const { key, place, category, search, limit } of lists) {
    const matches = models.filter(
      (model) =>
        model.category === (category ?? model.category) &&
        (search === undefined || String(model.name).includes(search)),
    )
    const offset = PLACES[place](matches.length, limit ?? LIMITS.modelsPageDefault)
    await unlessBlocked(() =>
      listModels(session, given({ category, search, limit, offset }), { key: key && keys[key] }),
    )
  }
  const ids = detailedOf(models, session)
  if (ids.length === 0) return
  for (const { id, key } of crossed({ id: ids, key: names }, { seed, most: MOST_DETAILS }))
    await unlessBlocked(() => session.call({ path: routePath(ROUTES.getModel, { id }), key: key && keys[key] }))
})

/** Models whose details are read: those that are not run, of different categories and from everywhere in the list, before others. */
function detailedOf(models: readonly Record<string, unknown>[], { targets, options }: Session): string[] {
  const run = targetsOf(targets).map(({ modelId }) => modelId)
  const usable = models.filter(({ id }) => typeof id === 'string' && !/^\.{0,2}$/.test(id))
  const others = usable.filter(({ id }) => !run.includes(String(id)))
  const firsts = others.filter((model, index) => index === others.findIndex((one) => one.category === model.category))
  const step = Math.max(1, Math.floor(others.length / MOST_MODELS))
  const spread = others.filter((_, index) => index % step === Math.abs(options.seed) % step)
  const ids = [...firsts.slice(0, MOST_MODELS / 2), ...spread].map((model) => String(model.id))
  return [...new Set([...ids, ...run])].slice(0, MOST_MODELS)
}

function given(query: Record<string, string | number | undefined>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
