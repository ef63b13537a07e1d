import type { Work } from './activity.ts'
import type { RunningClock } from './clock.ts'
import { realNow, shortMoment } from './real-time.ts'

/** A client that reads one URL this often at one moment of virtual time does not pause between its polls. */
const MOST_READS = 50

/** With more URLs than this the counts start again. Otherwise only time that moves on clears them. */
const MOST_URLS = 10_000

/** Longest real time for which a read is held: something else may keep the clock from moving. */
const LONGEST_HOLD_MS = 500

/**
 * Holds the polls of clients that do not pause until time has moved. On an `auto` clock such a client would keep the
 * server busy, and time, which jumps when everything waits, would be paused for ever.
 */
export class BusyPolls {
  readonly #clock: Pick<RunningClock, 'now' | 'canJump'>
  readonly #reads = new Map<string, number>()
  #countedAt = Number.NaN

  constructor(clock: Pick<RunningClock, 'now' | 'canJump'>) {
    this.#clock = clock
  }

  /** Resolves when the server may handle the request. `undefined`, as for nearly every request: at once. */
  admit({ method, url }: Pick<Request, 'method' | 'url'>, work: Work): Promise<void> | undefined {
    if (this.#clock.canJump === undefined) return undefined
    const now = this.#clock.now()
    const isRead = method === 'GET' || method === 'HEAD'
    // A request that changes something is progress: a client that polls in between does not wait for time to move.
    if (now !== this.#countedAt || !isRead || this.#reads.size > MOST_URLS) this.#reads.clear()
    this.#countedAt = now
    if (!isRead) return undefined
    const reads = (this.#reads.get(url) ?? 0) + 1
    this.#reads.set(url, reads)
    return reads > MOST_READS ? this.#hold(now, work) : undefined
  }

  async #hold(from: number, work: Work): Promise<void> {
    const since = realNow()
    work.park()
    while (this.#clock.canJump?.() && this.#clock.now() === from && realNow() - since < LONGEST_HOLD_MS) {
      await shortMoment()
    }
    work.resume()
  }
}
