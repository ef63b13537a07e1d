import type { Check } from '../check.ts'
import { type Finding, fail, observe, pass, skip } from '../finding.ts'
import { groupBy } from '../json.ts'
import { LASTS } from '../scenarios/ends.ts'
import { FIRST } from '../scenarios/runs.ts'
import { entryOf, refundedIn } from './entries.ts'
import { judgeAll, type Source } from './judge-world.ts'
import { jobOf, type RunCall, type World } from './world.ts'

/** What was run between two times at which nothing was running, and what was charged meanwhile. */
interface Window {
  runs: readonly RunCall[]
  charged: number
  /** On the suite's clock. */
  startMs: number
  endMs: number
  /** What may be given back for runs before, which had ended when they were cancelled: that is open (section 3). */
  open: readonly number[]
}

/** Whether failed runs are charged, all of them alike; `open` of each by itself, where credits were given back. */
type FailedShare = 0 | 1 | 'open'

const WINDOWS: Source<Window> = {
  from: [...Object.values(FIRST), ...LASTS],
  pick: windowsOf,
  nothing: 'the credits left were not read; needs readCredits: the interface does not return the balance',
}

/** What runs were charged, between two readings of the balance and all together (sections 1 and 2.1). */
export const BOOK_JUDGES: readonly Check[] = [
  judgeAll('charges/every-run', WINDOWS, balance),
  judgeAll('charges/books-balance', WINDOWS, (windows, world) =>
    balance([{ ...together(windows), open: [] }], world, sharesIn(windows, world)),
  ),
  judgeAll('settings/creditsOfFailedRun', WINDOWS, chargeOfFailure),
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
    const refunds = refundedIn(world, isIn).filter((run) => !isIn(run))
    const open = refunds.map(({ price = 0 }) => -price)
    return [{ runs, charged: before.credits - credits, startMs: before.atMs, endMs, open }]
  })
}

/** Judges that each charge is the price of what succeeded. What failed may be charged as well, but then all of it. */
function balance(windows: readonly Window[], world: World, shares = sharesIn(windows, world)): Finding {
  const runs = windows.flatMap((window) => window.runs)
  if (runs.some((run) => run.price === undefined && entryOf(run, world) !== 'free'))
    return skip('a run has a price that is not known')
  if (shares.some((share) => addUp(windows, world, share)))
    return pass(`${runs.length} runs were charged their price, or nothing`, proofOf(runs))
  const wrong = shares.map((share) => windows.filter((window) => !isRight(window, world, share)))
  const [first] = wrong.toSorted((one, other) => one.length - other.length)[0] ?? []
  if (first === undefined) return fail('the charges of all runs do not add up', proofOf(runs))
  const sums = new Set(shares.flatMap((share) => [...possibleCharges(first, world, share)]))
  const what = `${first.charged} credits were charged for ${runsText(first.runs, world)}`
  return fail(
    `${what}; expected ${[...sums].join(' or ')}`,
    proofOf(first.runs.length > 0 ? first.runs : world.sentRuns),
  )
}

/** Runs in words: how many are charged or free, and their prices. */
function runsText(runs: readonly RunCall[], world: World): string {
  const kinds = groupBy(runs, (run) => `${entryOf(run, world)} at ${run.price ?? 'an unknown price'}`)
  const counts = [...kinds].map(([kind, same]) => `${same.length} ${kind}`)
  return `${runs.length} runs${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`
}

/** Failed runs may have another share each where credits were given back: the last ones may not have come yet. */
function sharesIn(windows: readonly Window[], world: World): FailedShare[] {
  return hasRefund(windows, world) ? [0, 1, 'open'] : [0, 1]
}

/** Whether a window was charged less than its runs: something was given back, and not for the cancel of a job that had ended. */
function hasRefund(windows: readonly Window[], world: World): boolean {
  const isCancelled = (run: RunCall) => entryOf(run, world) === 'open' && (jobOf(run, world)?.cancels.length ?? 0) > 0
  return windows.some((window) => {
    const { runs, open, charged } = window
    const isLess = charged < Math.min(...possibleCharges(window, world, 0))
    return isLess && open.length === 0 && !runs.some(isCancelled)
  })
}

/** A charge shows at the latest in a window that starts this long after its own has ended; a refund may come later. */
const LATEST_MS = 300_000

/**
 * Whether the windows can be cut into stretches whose charges are right. When a charge or a refund shows is not stated: what is
 * missing in one window may be in another.
 */
function addUp(windows: readonly Window[], world: World, share: FailedShare): boolean {
  const isLess = (window: Window) => window.charged < Math.min(...possibleCharges(window, world, share))
  const latestMs = hasRefund(windows, world) ? Number.POSITIVE_INFINITY : LATEST_MS
  const isReached = [true]
  for (let end = 1; end <= windows.length; end++) {
    isReached[end] = isReached.some((isEnd, start) => {
      const stretch = windows.slice(start, end)
      if (!isEnd || Number(stretch.at(-1)?.startMs) - Number(stretch[0]?.endMs) > latestMs) return false
      return (stretch.length === 1 || stretch.some(isLess)) && isRight(together(stretch), world, share)
    })
  }
  return isReached.at(-1) === true
}

function together(windows: readonly Window[]): Window {
  return {
    runs: windows.flatMap(({ runs }) => runs),
    charged: windows.reduce((sum, { charged }) => sum + charged, 0),
    startMs: windows[0]?.startMs ?? 0,
    endMs: windows.at(-1)?.endMs ?? 0,
    open: windows.flatMap(({ open }) => open),
  }
}

function isRight(window: Window, world: World, share: FailedShare): boolean {
  return possibleCharges(window, world, share).has(window.charged)
}

/** What may be charged for the runs of a window, by all that is known of them. */
function possibleCharges({ runs, open }: Window, world: World, share: FailedShare): Set<number> {
  let certain = 0
  const maybe = [...open]
  for (const run of runs) {
    const entry = entryOf(run, world)
    const { price = 0 } = run
    if (entry === 'charged' || (entry === 'failed' && share === 1)) certain += price
    else if (entry === 'open' || entry === 'running' || (entry === 'failed' && share === 'open')) maybe.push(price)
  }
  return sumsOf(certain, maybe)
}

/** A sum with some of these, or none. */
function sumsOf(certain: number, more: readonly number[]): Set<number> {
  const sums = new Set([certain])
  for (const price of more) for (const sum of [...sums]) sums.add(sum + price)
  return sums
}

/** The last of many runs prove enough. */
function proofOf(runs: readonly RunCall[]) {
  return runs.slice(-20)
}

/** What a failed run is charged, from the first window in which nothing else is open. */
function chargeOfFailure(windows: readonly Window[], world: World): Finding {
  for (const window of windows) {
    const failed = window.runs.filter((run) => entryOf(run, world) === 'failed')
    const price = failed.reduce((sum, run) => sum + (run.price ?? 0), 0)
    const [least = 0, ...more] = possibleCharges(window, world, 0)
    if (price === 0 || more.length > 0) continue
    const charged = window.charged - least
    const share = charged === 0 ? 'none' : 'price'
    const isKnown = charged === 0 || charged === price
    return observe(
      isKnown ? share : charged,
      `${charged} credits were charged for ${failed.length} failed runs of ${price}`,
      proofOf(failed),
    )
  }
  return skip('needs a model and an input that fail at the provider')
}
