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
   * @throws Error in the modes `system` and `scaled`, where time passes by itself; ConfigurationError for a bad `ms`
   */
  advance(ms: number): Promise<void>
}

/** A clock that can be stopped for good. */
export interface RunningClock extends ServerClock {
  /** The same time for clients, whose timers may count for less than the server's own. */
  readonly forClients: ServerClock
  /** Of an `auto` clock: whether there is a moment to which time would jump. */
  canJump?(): boolean
  /** Sets the time, also backwards. Pending timers keep their remaining delay. */
  setTime(time: number): void
  /** How many times as fast as real time; missing where time moves by `advance` or by jumps. */
  readonly scale?: number
  /** Drops all timers; none fires any more. */
  close(): void
}

/** The last moment that a `Date` can hold. */
export const LATEST_TIME_MS = 8.64e15

export function checkAdvance(now: number, ms: number): void {
  const isPossible = (value: unknown) => typeof value === 'number' && value >= 0 && now + value <= LATEST_TIME_MS
  checkEach('clock.advance', { ms }, { ms: needs('milliseconds, 0 or more, that end in a possible date', isPossible) })
}

/** Waits on the server's clock, which end early when the client has gone or the server closes. */
export class Pauses {
  readonly #clock: ServerClock
  readonly #ends = new Map<object, () => void>()
  #isClosed = false

  constructor(clock: ServerClock) {
    this.#clock = clock
  }

  /** Resolves with whether the time has passed. `Infinity` never does. @param owner whose end ends the pause early */
  pause(ms: number, signal: AbortSignal, owner: object = {}): Promise<boolean> {
    if (this.#isClosed || signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const finish = (hasPassed: boolean) => {
        this.#clock.clearTimeout(timer)
        signal.removeEventListener('abort', end)
        this.#ends.delete(owner)
        resolve(hasPassed)
      }
      const end = () => finish(false)
      const timer = this.#clock.setTimeout(() => finish(true), ms)
      this.#ends.set(owner, end)
      signal.addEventListener('abort', end)
    })
  }

  /** Ends the pause of an owner, if it has one. */
  end(owner: object): void {
    this.#ends.get(owner)?.()
  }

  /** Ends every pause, and those to come. */
  close(): void {
    this.#isClosed = true
    for (const end of [...this.#ends.values()]) end()
  }
}
