import { type Check, check, defineScenario, type Scenario } from '../check.ts'
import { cancelledProcessing, cancelledQueued } from '../checks/cancel.ts'
import { LASTS } from '../checks/ends.ts'
import { asyncRun, defaultRun, failingJob, heldRun } from '../checks/runs.ts'
import { successWebhook } from '../checks/webhooks.ts'
import { type Finding, judge, observe, skip } from '../judge/finding.ts'
import { jobStatus } from '../session/jobs.ts'
import { entryOf } from './entries.ts'
import { judgeAll, judgeEvery, performEach, type Source } from './judge-every.ts'
import { type RunCall, type World, worldOf } from './world.ts'

const RUNS: Source<RunCall> = {
  from: LASTS,
  pick: ({ sentRuns }) => sentRuns,
  nothing: 'nothing was run',
}

/** A run around which the credits were read. */
interface MeasuredRun {
  run: RunCall
  charged: number | undefined
  entry: string
}

/** Runs one after the other before all others: nothing else is charged meanwhile. */
const measuredRuns: Scenario<World> = defineScenario(
  'measured-runs',
  {
    credits: true,
    uses: [defaultRun],
    mayUse: [asyncRun, heldRun, failingJob, successWebhook, cancelledQueued, cancelledProcessing],
  },
  async (session) => {
    session.isMeasuring = true
    await performEach([defaultRun, ...(measuredRuns.mayUse ?? [])], session)
    session.isMeasuring = false
    return worldOf(session)
  },
)
const MEASURED: Source<MeasuredRun> = {
  from: [measuredRuns],
  pick: (world) =>
    world.session.charges.flatMap(({ response, charge }) => {
      const run = world.sentRuns.find((one) => one.response === response)
      const charged = charge && charge.before - charge.after
      return run === undefined ? [] : [{ run, charged, entry: entryOf(run, world) }]
    }),
  nothing: 'nothing was run',
}

const UNREADABLE = 'the credits left could not be read'

export const CHARGES_CHECKS: readonly Check[] = [
  check('charges/failed', measuredRuns, (world) => {
    const { run, charged } = MEASURED.pick(world).find(({ entry }) => entry === 'failed') ?? {}
    if (run === undefined) return skip('needs a model and an input that fail at the provider')
    if (charged === undefined) return skip(UNREADABLE)
    const share = charged === 0 ? 'none' : charged === run.price ? 'price' : charged
    return observe(share, `${charged} credits charged for a failed run`, run.response)
  }),
]

/** What runs were charged, each and all together (sections 1 and 2.1). */
export const BOOK_JUDGES: readonly Check[] = [
  judgeEvery('charges/every-run', MEASURED, isRightlyCharged),
  judgeAll('charges/books-balance', RUNS, balance),
]

function isRightlyCharged({ run: { response, price }, charged, entry }: MeasuredRun): Finding {
  if (charged === undefined) return skip(UNREADABLE, response)
  if (price === undefined || (entry !== 'charged' && entry !== 'free')) return skip('the run did not succeed', response)
  const expected = entry === 'free' ? 0 : price
  return judge(
    charged === expected,
    `${charged} credits charged for a run that is ${entry}; the price is ${price}`,
    response,
  )
}

function balance(runs: readonly RunCall[], world: World): Finding {
  const { charge } = world
  if (charge === undefined) return skip('needs readCredits: the interface does not return the balance')
  const sums = new Map<string, number>()
  for (const run of runs) {
    const entry = entryOf(run, world)
    if (entry === 'unknown' || (run.price === undefined && entry !== 'free'))
      return skip('a run has an end or a price that is not known', run.response)
    sums.set(entry, (sums.get(entry) ?? 0) + (run.price ?? 0))
  }
  let possible = maybeFailed(runs, world).reduce<number[]>(
    (totals, price) => [...new Set(totals.flatMap((total) => [total, total + price]))],
    [sums.get('charged') ?? 0],
  )
  for (const [kind, sum] of sums)
    if (kind !== 'charged' && kind !== 'free') possible = possible.flatMap((total) => [total, total + sum])
  const charged = charge.before - charge.after
  const expected = [...new Set(possible)].join(' or ')
  const detail = `${charged} credits were charged for ${runs.length} runs; the prices of those that succeeded are ${expected}`
  return judge(
    possible.includes(charged),
    detail,
    runs.slice(0, 20).map(({ response }) => response),
  )
}

/**
 * The prices of the rejections that may be failed jobs: a service that accepts some wrong inputs, whose jobs fail, may respond to
 * a synchronous run with the error alone.
 */
function maybeFailed(runs: readonly RunCall[], { jobs }: World): number[] {
  const acceptsSome = jobs.some(({ run, end }) => run.isOpen && end !== undefined && jobStatus(end) === 'failed')
  if (!acceptsSome) return []
  return runs.flatMap((run) => {
    const { isOpen, sync, hasWebhook, response, jobId, price = 0 } = run
    const isRejected = response.status >= 400 && jobId === undefined && entryOf(run, { jobs }) === 'free'
    return isOpen && sync !== false && !hasWebhook && isRejected ? [price] : []
  })
}
