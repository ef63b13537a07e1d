import type { Check } from '../check.ts'
import type { Exchange } from '../exchange.ts'
import { type Finding, fail, observe, pass, skip } from '../finding.ts'
import { LASTS } from '../scenarios/ends.ts'
import { FIRST } from '../scenarios/runs.ts'
import { entryOf, refundedIn } from './entries.ts'
import { judgeAll, type Source } from './judge-every.ts'
import type { RunCall, World } from './world.ts'

/** What was run between two times at which nothing was running, and what was charged meanwhile. */
interface Window {
  runs: readonly RunCall[]
  charged: number
  /** On the suite's clock; missing of several together. */
  startMs?: number
  endMs?: number
  /** Runs before that other keys started, whose end is not waited for. */
  carried: readonly RunCall[]
  /** Prices of runs before that had ended when they were cancelled: what that does is open (section 3). */
  refunds: readonly number[]
}

type Share = 0 | 1 | 'open'

/** What may be so or otherwise, but of all runs alike: the share of its price that each is charged here. */
interface Rule {
  failed: Share
  /** What other keys ran: they belong to this account, or not. */
  others: 0 | 1
  /** What had ended when it was cancelled. */
  cancelled: 0 | 1
}

const WINDOWS: Source<Window> = {
  from: [...Object.values(FIRST), ...LASTS],
  pick: windowsOf,
  nothing: 'the credits left were not read; needs readCredits: the interface does not return the balance',
}

/** What runs were charged, between two readings of the balance and all together (sections 1 and 2.1). */
export const BOOK_JUDGES: readonly Check[] = [
  judgeAll('charges/every-run', WINDOWS, balance),
  judgeAll('charges/books-balance', WINDOWS, (windows, world) =>
    balance([{ ...together(windows), carried: [], refunds: [] }], world, rulesFor(windows, world)),
  ),
  judgeAll('charges/failed', WINDOWS, chargeOfFailure),
  judgeAll('charges/when', WINDOWS, whenCharged),
]

function windowsOf(world: World): Window[] {
  const { session, sentRuns } = world
  const { marks } = session.balance
  const idOf = ({ response }: Pick<RunCall, 'response'>) => response.exchange.id
  return marks.flatMap(({ after, credits, atMs: endMs }, index) => {
    const before = marks[index - 1]
    if (before === undefined || sentRuns.length === 0) return []
    const isIn = (one: Pick<RunCall, 'response'>) => idOf(one) > before.after && idOf(one) <= after
    const runs = sentRuns.filter(isIn)
    const carried = sentRuns.filter((run) => idOf(run) <= before.after && isCarried(run, world))
    const refunds = refundedIn(world, isIn).flatMap((run) => (isIn(run) ? [] : [-(run.price ?? 0)]))
    return [{ runs, charged: before.credits - credits, startMs: before.atMs, endMs, carried, refunds }]
  })
}

/** Judges that each charge is the price of what succeeded. What failed may be charged as well, but then all of it. */
function balance(windows: readonly Window[], world: World, rules = rulesFor(windows, world)): Finding {
  const wrong = rules.map((rule) => windows.filter((one) => !isRight(one, world, rule)))
  const isExplained = rules.some((rule) => addUp(windows, world, rule))
  const [first] = wrong.toSorted((one, other) => one.length - other.length)[0] ?? []
  if (first === undefined || isExplained) {
    const judged = windows.filter((one) => rules[0] && possibleCharges(one, world, rules[0]) !== undefined)
    const runs = judged.flatMap((one) => one.runs)
    if (runs.length === 0) return skip('a run has a price that is not known')
    return pass(`${runs.length} runs were charged their price, or nothing`, proofOf(runs))
  }
  const { runs, charged } = first
  const entries = runs.map((run) => `${entryOf(run, world)} ${run.price ?? ''}`.trim())
  const sums = [...new Set(rules.flatMap((rule) => [...(possibleCharges(first, world, rule) ?? [])]))].join(' or ')
  const what = `${charged} credits were charged for ${runs.length} runs (${entries.slice(0, 20).join(', ')})`
  const proof = proofOf(runs.length > 0 ? runs : world.sentRuns)
  return fail(`${what}; the prices of those that succeeded are ${sums}`, proof)
}

/** Failed runs may have another share each where a refund was seen: the last ones may not have come yet. */
function rulesFor(windows: readonly Window[], world: World): Rule[] {
  const shares = hasRefund(windows, world) ? ([0, 1, 'open'] as const) : ([0, 1] as const)
  const both = [0, 1] as const
  return shares.flatMap((failed) => both.flatMap((others) => both.map((cancelled) => ({ failed, others, cancelled }))))
}

function isRight(one: Window, world: World, rule: Rule): boolean {
  return possibleCharges(one, world, rule)?.has(one.charged) !== false
}

/** Whether something was given back, but not for the cancel of a job that had ended. */
function hasRefund(windows: readonly Window[], world: World): boolean {
  const isCancelled = (run: RunCall) => entryOf(run, world).includes('cancelled')
  return windows.some(({ charged, runs, refunds }) => charged < 0 && refunds.length === 0 && !runs.some(isCancelled))
}

/** A charge shows in a window that starts so long after its own has ended, as does the next one; a refund may come later. */
const LATEST_MS = 180_000

/**
 * Whether the windows can be cut into stretches whose charges are right. When a charge or a refund shows is not stated: what is
 * missing in one window may be in another.
 */
function addUp(windows: readonly Window[], world: World, rule: Rule): boolean {
  const isLess = (one: Window) => one.charged < Math.min(...(possibleCharges(one, world, rule) ?? [one.charged]))
  const latestMs = hasRefund(windows, world) ? Number.POSITIVE_INFINITY : LATEST_MS
  const isReached = [true]
  for (let end = 1; end <= windows.length; end++) {
    isReached[end] = isReached.some((isEnd, start) => {
      const stretch = windows.slice(start, end)
      if (!isEnd || Number(stretch.at(-1)?.startMs) - Number(stretch[0]?.endMs) > latestMs) return false
      return (stretch.length === 1 || stretch.some(isLess)) && isRight(together(stretch), world, rule)
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

/** The last of many runs prove enough. */
function proofOf(runs: readonly RunCall[]) {
  return runs.slice(-20)
}

/** What may be charged for the runs of a window, by all that is known of them. */
function possibleCharges({ runs, carried, refunds }: Window, world: World, rule: Rule): Set<number> | undefined {
  let certain = 0
  const open: number[] = []
  for (const run of runs) {
    const share = shareOf(run, world, rule)
    if (share === 0) continue
    if (run.price === undefined) return undefined
    if (share === 'open') open.push(run.price)
    else certain += run.price
  }
  const late = rule.others === 0 ? [] : carried.map(({ price = 0 }) => price)
  const back = rule.cancelled === 0 ? refunds : []
  return sumsOf(certain, [...open, ...late, ...back, ...maybeFailed(runs, world)])
}

/** How much of its price a run is charged: `open` of each by itself. */
function shareOf(run: RunCall, world: World, rule: Rule): Share {
  const entry = entryOf(run, world)
  if (entry === 'free' || (run.key.kind === 'limited' && rule.others === 0)) return 0
  // A late rejection is only that, or the end of a job that failed.
  if (entry === 'unknown' || isCarried(run, world) || entry.includes(' late')) return 'open'
  // It may have been charged before its cancel.
  if (entry.includes('cancelled')) return rule.cancelled === 1 && !entry.startsWith('failed') ? 1 : 'open'
  return entry.startsWith('failed') ? rule.failed : 1
}

/** The end of what another key runs is not waited for. */
function isCarried(run: RunCall, world: World): boolean {
  const isOver = run.says === 'completed' || run.jobId === undefined
  return run.key.kind === 'limited' && !isOver && entryOf(run, world) !== 'free'
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
function maybeFailed(runs: readonly RunCall[], world: World): number[] {
  if (!world.jobs.some(({ run, outcome }) => run.isOpen && outcome === 'failed')) return []
  return runs.flatMap((run) => {
    const { isOpen, mode, response, jobId, price = 0 } = run
    const isRejected = response.status >= 400 && jobId === undefined && entryOf(run, world) === 'free'
    return isOpen && mode === 'sync' && isRejected ? [price] : []
  })
}

/** What a failed run is charged, from the first window in which nothing else is open. */
function chargeOfFailure(windows: readonly Window[], world: World): Finding {
  for (const one of windows) {
    const failed = one.runs.filter((run) => entryOf(run, world) === 'failed')
    const price = failed.reduce((sum, run) => sum + (run.price ?? 0), 0)
    const [least, ...more] = possibleCharges(one, world, { failed: 0, others: 1, cancelled: 1 }) ?? []
    if (price === 0 || least === undefined || more.length > 0) continue
    const charged = one.charged - least
    const share = charged === 0 ? 'none' : charged === price ? 'price' : charged
    return observe(share, `${charged} credits charged for ${failed.length} failed runs of ${price}`, proofOf(failed))
  }
  return skip('needs a model and an input that fail at the provider')
}

/** Whether a run is charged before its job has ended, from readings while one run alone had not ended. */
function whenCharged(_: readonly Window[], world: World): Finding {
  const { early, marks } = world.session.balance
  const seen = early.flatMap(({ after, credits }) => {
    const before = marks.findLast((mark) => mark.after < after)
    const isBetween = ({ id }: Exchange) => id > Number(before?.after) && id < after
    const [run, ...others] = world.sentRuns.filter(({ response }) => isBetween(response.exchange))
    if (before === undefined || run === undefined || others.length > 0 || entryOf(run, world) !== 'charged') return []
    return [{ run, isAtStart: before.credits - credits === run.price, isNothing: before.credits === credits }]
  })
  const [first] = seen
  const isSame = (how: 'isAtStart' | 'isNothing') => seen.every((one) => one[how])
  if (first === undefined || !(isSame('isAtStart') || isSame('isNothing'))) return skip('no run was waited for alone')
  const when = first.isAtStart ? 'start' : 'success'
  return observe(when, `the balance fell at the ${when} of a run`, proofOf(seen.map(({ run }) => run)))
}
