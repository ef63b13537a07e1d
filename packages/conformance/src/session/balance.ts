import { type ConformanceClock, sleep } from '../clock.ts'

/** The balance at a time when nothing was running. */
interface Mark {
  /** Id of the last exchange before it. */
  after: number
  credits: number
  /** On the suite's clock. */
  atMs: number
}

/** A balance unchanged for this long is final, unless an earlier charge took longer. */
const STILL_MS = 15_000
/** The longest wait for a charge that should come. */
const LONGEST_WAIT_MS = 90_000
const INTERVAL_MS = 3_000

/** The balance of the account. When a charge shows is not stated, so an unexpected one is read until it no longer changes. */
export function createBalance(readCredits: (() => Promise<number>) | undefined, clock: ConformanceClock) {
  // The results of paid runs must not be lost with it.
  const read = async () => readCredits?.().catch(() => undefined)
  const marks: Mark[] = []
  /** How late a charge showed so far. Others may be as late. */
  let latenessMs = 0
  const add = (after: number, credits: number | undefined) => {
    if (credits !== undefined) marks.push({ after, credits, atMs: clock.now() })
  }

  /**
   * The balance once it no longer changes.
   *
   * @param expected the balance that is waited for longer than others; `failed`: any may be final, but not before the longest wait
   */
  async function settled(expected: number | undefined | 'failed'): Promise<number | undefined> {
    const startedAt = clock.now()
    const waitedMs = () => clock.now() - startedAt
    const stillMs = expected === 'failed' ? LONGEST_WAIT_MS : Math.max(STILL_MS, 1.5 * latenessMs)
    let last = await read()
    let changedMs = 0
    while (last !== undefined && waitedMs() < LONGEST_WAIT_MS) {
      const isWrong = typeof expected === 'number' && last !== expected
      if (!isWrong && waitedMs() - changedMs >= stillMs) return last
      await sleep(clock, INTERVAL_MS)
      const next = await read()
      if (next !== last) {
        changedMs = waitedMs()
        latenessMs = Math.max(latenessMs, changedMs)
      }
      last = next
    }
    return last
  }

  return {
    /** In order. What was charged between two of them is what ran between them. */
    marks: marks as readonly Mark[],
    /** Reads the balance before anything is run. */
    open: async () => add(0, await read()),

    /** What was charged so far; `undefined` where that cannot be read. */
    charged: async () => {
      const [atStart] = marks
      const now = atStart && (await read())
      return now === undefined || atStart === undefined ? undefined : atStart.credits - now
    },

    /**
     * Reads the balance while nothing is running.
     *
     * @param after id of the last exchange
     * @param price what was run since the last mark should cost; `undefined` where that is open, `failed` where it may be charged, or refunded, as late as can be
     */
    mark: async (after: number, price: number | undefined | 'failed') => {
      const last = marks.at(-1)
      const now = last && (await read())
      if (last === undefined || now === undefined) return
      const wanted = typeof price === 'number' ? last.credits - price : price
      add(after, now === wanted ? now : await settled(wanted))
    },

    /** Reads the balance at the end, once it no longer changes. */
    close: async () => {
      if (marks.length > 0) add(Number.POSITIVE_INFINITY, await settled('failed'))
    },
  }
}
