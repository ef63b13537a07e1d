import { ModelRunError } from 'modelrun'
import { sleep } from './sleep.ts'

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000

/**
 * The reads of a loop. They are repeated while the store fails, so that the loop outlives a restart of it. A store that has
 * never responded is a mistake of the program, such as a forgotten `setup()`: then the first failure ends the loop.
 */
export class StoreReads {
  readonly #onError: (error: unknown) => void
  readonly #signal: AbortSignal | undefined
  #hasResponded = false

  constructor(onError: (error: unknown) => void, signal: AbortSignal | undefined) {
    this.#onError = onError
    this.#signal = signal
  }

  async repeat<Value>(read: () => Promise<Value>): Promise<Value> {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(LONGEST_DELAY_MS, delayMs * 2)) {
      this.#signal?.throwIfAborted()
      try {
        const value = await read()
        this.#hasResponded = true
        return value
      } catch (error) {
        // Errors of the SDK, such as a wrong key, are not those of the store.
        if (!this.#hasResponded || error instanceof ModelRunError) throw error
        this.#onError(error)
      }
      await sleep(delayMs, this.#signal)
    }
  }
}
