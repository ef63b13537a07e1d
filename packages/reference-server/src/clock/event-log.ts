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
