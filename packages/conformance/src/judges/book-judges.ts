import type { Check } from '../check.ts'
import { type Finding, fail, observe, pass, skip } from '../finding.ts'
import { LASTS } from '../scenarios/ends.ts'
import { FIRST } from '../scenarios/runs.ts'
import { jobStatus } from '../session/actions.ts'
import type { Session } from '../session/session.ts'
import { entryOf, refundedIn } from './entries.ts'
import { judgeAll, type Source } from './judge-every.ts'
import type { RunCall, World } from './world.ts'

/** What was run between two times at which nothing was running, and what was charged meanwhile. */
interface Window {
  runs: readonly RunCall[]
  charged: number
  /** Runs before that other keys started, whose end is not waited for. */
  carried: readonly RunCall[]
  /** Prices of runs before that had ended when they were cancelled: what that does is open (section 3). */
  refunds: readonly number[]
}

type Share = 0 | 1 | 'open'

const WINDOWS: Source<Window> = { from: [...Object.values(FIRST), ...LASTS], pick: windowsOf, nothing: unread }

/** What runs were charged, between two readings of the balance and all together (sections 1 and 2.1). */
export const BOOK_JUDGES: readonly Check[] = [
  judgeAll('charges/every-run', WINDOWS, balance),
  judgeAll('charges/books-balance', WINDOWS, (windows, world) =>
    balance([{ ...together(windows), carried: [], refunds: [] }], world, sharesOf(windows)),
  ),
  judgeAll('charges/failed', WINDOWS, chargeOfFailure),
  judgeAll('charges/when', WINDOWS, whenCharged),
]

function unread({ options }: Session): string {
  const isGiven = options.readCredits !== undefined
  return isGiven ? 'the credits left could not be read' : 'needs readCredits: the interface does not return the balance'
}

function windowsOf(world: World): Window[] {
  const { session, sentRuns } = world
  const { marks } = session.balance
  const idOf = ({ response }: Pick<RunCall, 'response'>) => response.exchange.id
  return marks.flatMap(({ after, credits }, index) => {
    const before = marks[index - 1]
    if (before === undefined || sentRuns.length === 0) return []
    const isIn = (one: Pick<RunCall, 'response'>) => idOf(one) > before.after && idOf(one) <= after
    const runs = sentRuns.filter(isIn)
    const carried = sentRuns.filter((run) => idOf(run) <= before.after && run.key.kind === 'limited')
    const refunds = refundedIn(world, isIn)
      .filter((run) => !isIn(run))
      .map(({ price = 0 }) => -price)
    return [{ runs, charged: before.credits - credits, carried, refunds }]
  })
}

/** Judges that each charge is the price of what succeeded. What failed may be charged as well, but then all of it. */
function balance(windows: readonly Window[], world: World, shares = sharesOf(windows)): Finding {
  const wrong = shares.map((share) =>
    windows.filter((one) => possibleCharges(one, world, share)?.has(one.charged) === false),
  )
  const isExplained = shares.some((share) => addUp(windows, world, share))
  const [first] = wrong.toSorted((one, other) => one.length - other.length)[0] ?? []
  if (first === undefined || isExplained) {
    const judged = windows.filter((one) => possibleCharges(one, world, 0) !== undefined)
    const runs = judged.flatMap((one) => one.runs)
    if (runs.length === 0) return skip('a run has an end or a price that is not known')
    return pass(`${runs.length} runs were charged their price, or nothing`, proofOf(runs))
  }
  const { runs, charged } = first
  const entries = runs.map((run) => `${entryOf(run, world)} ${run.price ?? ''}`.trim())
  const sums = [...new Set(shares.flatMap((share) => [...(possibleCharges(first, world, share) ?? [])]))].join(' or ')
  const what = `${charged} credits were charged for ${runs.length} runs (${entries.slice(0, 20).join(', ')})`
  return fail(
    `${what}; the prices of those that succeeded are ${sums}`,
    proofOf(runs.length > 0 ? runs : world.sentRuns),
  )
}

/** The share of their price that failed runs are charged. Each may have another where a refund was seen: the last ones may not have come yet. */
function sharesOf(windows: readonly Window[]): readonly Share[] {
  return windows.some(({ charged }) => charged < 0) ? [0, 1, 'open'] : [0, 1]
}

/**
 * Whether the windows can be cut into stretches whose charges are right. When a charge or a refund shows is not stated: what is
 * missing in one window may be in another.
 */
function addUp(windows: readonly Window[], world: World, share: Share): boolean {
  const isRight = (one: Window) => possibleCharges(one, world, share)?.has(one.charged) !== false
  const isLess = (one: Window) => one.charged < Math.min(...(possibleCharges(one, world, share) ?? [one.charged]))
  const isReached = [true]
  for (let end = 1; end <= windows.length; end++) {
    isReached[end] = isReached.some((isEnd, start) => {
      const stretch = windows.slice(start, end)
      return isEnd && (stretch.length === 1 || stretch.some(isLess)) && isRight(together(stretch))
    })
  }
  return isReached.at(-1) === true
}

function together(windows: readonly Window[]): Window {
  return {
    runs: windows.flatMap(({ runs }) => runs),
    charged: windows.reduce((sum, { charged }) => sum + charged, 0),
    carried: windows[0]?.carried ?? [],
    refunds: windows.flatMap(({ refunds }) => refunds),
  }
}

function proofOf(runs: readonly RunCall[]) {
  return runs.slice(-20).map(({ response }) => response)
}

/**
 * What may be charged for the runs of a window, by all that is known of them.
 *
 * @param share of the price that is charged for failed runs
 */
function possibleCharges({ runs, carried, refunds }: Window, world: World, share: Share): Set<number> | undefined {
  let certain = 0
  const groups = new Map<string, number>()
  const failed: number[] = []
  for (const run of runs) {
    const entry = entryOf(run, world)
    if (entry === 'free') continue
    if (entry === 'unknown' || run.price === undefined) return undefined
    const charged = shareOf(entry, share)
    if (charged === 'open') failed.push(run.price)
    else if (charged !== undefined) certain += run.price * charged
    else groups.set(entry, (groups.get(entry) ?? 0) + run.price)
  }
  const late = carried.flatMap((run) => (entryOf(run, world) === 'free' ? [] : [run.price ?? 0]))
  return sumsOf(certain, [...groups.values(), ...failed, ...late, ...refunds, ...maybeFailed(runs, world)])
}

/** How much of its price a run is charged: `open` of each by itself, `undefined` where all that are alike are charged alike. */
function shareOf(entry: string, ofFailed: Share): Share | undefined {
  if (entry === 'charged') return 1
  if (entry === 'failed') return ofFailed
  // A late rejection is only that, or the end of a job that failed.
  return entry.endsWith(' late') ? 'open' : undefined
}

/** A sum with some of these, or none. */
function sumsOf(certain: number, more: readonly number[]): Set<number> {
  const sums = new Set([certain])
  for (const price of more) for (const sum of [...sums]) sums.add(sum + price)
  return sums
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

/** What a failed run is charged, from the first window in which nothing else is open. */
function chargeOfFailure(windows: readonly Window[], world: World): Finding {
  for (const one of windows) {
    const failed = one.runs.filter((run) => entryOf(run, world) === 'failed')
    const price = failed.reduce((sum, run) => sum + (run.price ?? 0), 0)
    const [least, ...more] = possibleCharges(one, world, 0) ?? []
    if (price === 0 || least === undefined || more.length > 0) continue
    const charged = one.charged - least
    const share = charged === 0 ? 'none' : charged === price ? 'price' : charged
    return observe(share, `${charged} credits charged for ${failed.length} failed runs of ${price}`, proofOf(failed))
  }
  return skip('needs a model and an input that fail at the provider')
}

/** Whether a run is charged before its job has ended, from readings while one run alone had not ended. */
function whenCharged(_: readonly Window[], { session, sentRuns, jobs }: World): Finding {
  const { early, marks } = session.balance
  const seen = early.flatMap(({ after, credits }) => {
    const before = marks.findLast((mark) => mark.after < after)
    const runs = sentRuns.filter(
      ({ response: { exchange } }) => exchange.id > Number(before?.after) && exchange.id < after,
    )
    const [run] = runs
    if (before === undefined || run === undefined || runs.length > 1 || entryOf(run, { jobs }) !== 'charged') return []
    return [{ run, isAtStart: before.credits - credits === run.price, isNothing: before.credits === credits }]
  })
  const [first] = seen
  const isSame = (how: 'isAtStart' | 'isNothing') => seen.every((one) => one[how])
  if (first === undefined || !(isSame('isAtStart') || isSame('isNothing'))) return skip('no run was waited for alone')
  const when = first.isAtStart ? 'start' : 'success'
  return observe(when, `the balance fell at the ${when} of a run`, proofOf(seen.map(({ run }) => run)))
}
