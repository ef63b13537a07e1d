import { type Clock, NonRetriableError, PauseQueue } from '@modelrun/kit'
import { ModelRunError } from 'modelrun'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/**
 * Pauses a batch whose runs fail so that each may have been sent, for instance by a gateway that responds 502: each of them is left
 * for a person to decide about. After a pause one run is sent alone, and the others follow when it got a response.
 */
export class Outage {
  readonly #clock: Pick<Clock, 'now'>
  #failures = 0
  #endsAt = 0
  #isTesting = false

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** @throws PauseQueue while the batch pauses */
  async guard<T>(send: () => Promise<T>): Promise<T> {
    const isTest = this.#failures > 0
    const waitMs = this.#isTesting ? FIRST_PAUSE_MS : this.#endsAt - this.#clock.now()
    if (isTest && waitMs > 0) throw new PauseQueue(waitMs)
    this.#isTesting = isTest
    try {
      const result = await send()
      this.#failures = 0
      return result
    } catch (error) {
      if (error instanceof NonRetriableError && error.cause instanceof ModelRunError) this.#fail()
      throw error
    } finally {
      if (isTest) this.#isTesting = false
    }
  }

  #fail(): void {
    const now = this.#clock.now()
    // Runs that were sent together fail together.
    if (now < this.#endsAt) return
    this.#endsAt = now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures)
    this.#failures += 1
  }
}
