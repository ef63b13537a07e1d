import { checkEach, needs } from '@modelrun/kit'

/** How the server's time passes. */
type ClockMode = 'system' | 'scaled' | 'manual' | 'auto'

/**
 * The server's clock. Everything that takes time in the server runs on it: the 55 s hold, the work of the models, the
 * 10 s of a webhook receiver. Give it to the client too (`clientOptions()` does), so that its waits share the time.
 *
 * The functions need no `this`.
 */
export interface ServerClock {
  /** How time passes on this clock. */
  readonly mode: ClockMode
  /** Milliseconds since 1970, UTC. */
  now(): number
  /**
   * Calls back once, at the earliest after `ms` milliseconds of this clock. A time beyond what a `Date` can hold
   * (`Infinity` too) means never.
   *
   * @returns a handle for `clearTimeout`
   */
  setTimeout(callback: () => void, ms: number): unknown
  /** Takes a timer back. A handle that is unknown or has fired is ignored. */
  clearTimeout(handle: unknown): void
  /**
   * Advances time by `ms` milliseconds: runs what falls due, in order, and lets each settle (requests, webhook
   * deliveries) before the next. Modes `manual` and `auto`.
   *
   * @returns what happened meanwhile, in order: jobs that ended, holds that were over, deliveries
   * @throws Error in the modes `system` and `scaled`, where time passes by itself; ConfigurationError for a bad `ms`
   */
  advance(ms: number): Promise<readonly ClockEvent[]>
}

/** The speed of a clock that passes by itself: `system` and `scaled`. */
interface ClockSpeed {
  /** How many times as fast as real time; 0 while it is paused. */
  scale(): number
  setScale(scale: number): void
  /** Moves time to a later moment, and fires nothing. */
  moveTo(time: number): void
  /** Fires the first timer, and moves time there, if it is due until `limit`. Returns whether one was. */
  fireNext(limit: number): boolean
}

/** A clock that can be stopped for good. */
export interface RunningClock extends ServerClock {
  /** The same time for clients, whose timers may count for less than the server's own. */
  readonly forClients: ServerClock
  /** Of an `auto` clock: whether there is a moment to which time would jump. */
  canJump?(): boolean
  /** Sets the time, also backwards. Pending timers keep their remaining delay. */
  setTime(time: number): void
  /** Missing where time moves by `advance` or by jumps. */
  readonly speed?: ClockSpeed
  /** Drops all timers; none fires any more. */
  close(): void
}

/** The last moment that a `Date` can hold. */
export const LATEST_TIME_MS = 8.64e15

/** Checks the argument of `clock.advance`. */
export function checkAdvance(now: number, ms: number): void {
  const isPossible = (value: unknown) => typeof value === 'number' && value >= 0 && now + value <= LATEST_TIME_MS
  checkEach('clock.advance', { ms }, { ms: needs('milliseconds, 0 or more, that end in a possible date', isPossible) })
}

/** Something that happened while the server's time was moved on. */
export interface ClockEvent {
  /** Milliseconds since 1970 on the server's clock. */
  readonly at: number
  /** Milliseconds since the start of the move. */
  readonly afterMs: number
  /**
   * - `job_ended`: a job succeeded, failed or was cancelled
   * - `hold_ended`: a run was held for about 55 s, and its response is a 202 (section 8)
   * - `delivery_ended`: an attempt to deliver a result is over
   */
  readonly kind: 'job_ended' | 'hold_ended' | 'delivery_ended'
  /** Identifier of the job that it happened to. */
  readonly job_id: string
  /** A sentence for people. The same seed gives the same sentences, so they are fit for a snapshot. */
  readonly text: string
}

/** An event without `afterMs`, which depends on the start of the move. */
export type LoggedEvent = Omit<ClockEvent, 'afterMs'>

/** Collects the events while time is moved on, for the caller of `advance`. Stores nothing otherwise. */
export class EventLog {
  readonly #listeners = new Set<LoggedEvent[]>()
  readonly #catchUp: () => void

  /** @param catchUp ends the jobs that are over by now */
  constructor(catchUp: () => void = () => {}) {
    this.#catchUp = catchUp
  }

  /** Costs nothing without a listener. */
  add(describe: () => LoggedEvent): void {
    if (this.#listeners.size === 0) return
    const add = describe()
    for (const events of this.#listeners) events.push(add)
  }

  /** What happens from now on until `work` is done, in order of time. */
  async during(now: number, work: () => Promise<void>): Promise<readonly ClockEvent[]> {
    this.#catchUp()
    const events: LoggedEvent[] = []
    this.#listeners.add(events)
    try {
      await work()
      this.#catchUp()
    } finally {
      this.#listeners.delete(events)
    }
    return events.sort((one, other) => one.at - other.at).map((add) => ({ ...add, afterMs: add.at - now }))
  }
}
