import type { RunningClock } from './clock.ts'
import { afterRealTime, nextTurn, realNow } from './real-time.ts'
import type { VirtualTimers } from './virtual-timers.ts'

/** Something being worked on: a request, a webhook delivery. Virtual time is paused meanwhile. */
export interface Work {
  /** It is done, or now waits on the clock: time may pass. */
  park(): void
  resume(): void
}

/**
 * After this much real time a piece of work no longer holds virtual time back, such as the upload of a client that never
 * finishes it. Else its timeout could not happen.
 */
const GRACE_MS = 250

/** A receiver of webhooks may load modules or ask a database first: its 10 s are not over before. */
export const RECEIVER_GRACE_MS = 2_000

/** Real time in which a client behind a socket can make its next request. */
const REMOTE_QUIET_MS = 10

/** A client in this process gets this many turns of the event loop. It needs about one to read a body. */
const CALM_TURNS = 10

/** And at least this much real time: signing with WebCrypto happens on another thread and takes a third of it. */
const CALM_MS = 0.05

/** Tracks the work of the server and its clients that virtual time must wait for. */
export class Activity {
  /** Until when each work holds virtual time back, in real time. */
  readonly #runningUntil = new Map<Work, number>()
  #waiting: (() => void)[] = []
  #changes = 0
  #lastChangeAt = 0
  #hasRemoteClients = false
  #isClosed = false

  start(graceMs = GRACE_MS): Work {
    const resume = () => {
      this.#runningUntil.set(work, realNow() + graceMs)
      this.touch()
    }
    const park = () => {
      if (this.#runningUntil.delete(work)) this.touch()
    }
    const work: Work = { resume, park }
    resume()
    return work
  }

  /** Reports an event: a timer was set or fired, a request came or went. */
  touch(): void {
    this.#changes++
    this.#lastChangeAt = realNow()
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  /** From now on the clock also waits for clients on the other side of a socket. Each jump then takes some real time. */
  expectRemoteClients(): void {
    this.#hasRemoteClients = true
  }

  /**
   * Resolves when everything waits on the clock (or was silent for too long), and nothing has changed for as much real
   * time as `patienceMs` says.
   */
  async quiet(patienceMs: () => number = () => 0): Promise<void> {
    while (!this.#isClosed) {
      const busyMs = this.#busyMs()
      if (busyMs > 0) {
        await this.#changeWithin(busyMs)
      } else if (await this.#isCalm()) {
        const quietMs = Math.max(patienceMs(), this.#hasRemoteClients ? REMOTE_QUIET_MS : 0)
        const moreMs = quietMs > 0 ? this.#lastChangeAt + quietMs - realNow() : 0
        if (moreMs <= 0) return
        await this.#changeWithin(moreMs)
      }
    }
  }

  /** Moves time: what falls due until `target` runs in order, and each settles before the next. */
  async settleUntil(target: number, timers: VirtualTimers): Promise<void> {
    await this.quiet()
    while (timers.fireNext(target)) {
      this.touch()
      await this.quiet()
    }
    timers.moveTo(target)
  }

  /** Ends every wait. */
  close(): void {
    this.#isClosed = true
    this.touch()
  }

  /** For how long work may still hold time back; 0 when none may. */
  #busyMs(): number {
    const now = realNow()
    for (const until of this.#runningUntil.values()) {
      if (until > now) return until - now
    }
    return 0
  }

  async #isCalm(): Promise<boolean> {
    const changes = this.#changes
    const since = realNow()
    for (let turn = 0; turn < CALM_TURNS || realNow() - since < CALM_MS; turn++) {
      await nextTurn()
      if (this.#changes !== changes) return false
    }
    return true
  }

  #changeWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = afterRealTime(ms, resolve)
      this.#waiting.push(() => {
        stopTimer()
        resolve()
      })
    })
  }
}

/** A client that reads one URL this often at one moment of virtual time does not pause between its polls. */
const MOST_READS = 50

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
    if (now !== this.#countedAt || !isRead) this.#reads.clear()
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
      await new Promise<void>((resolve) => afterRealTime(1, resolve))
    }
    work.resume()
  }
}
