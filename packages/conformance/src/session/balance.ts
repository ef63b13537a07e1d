import { type ConformanceClock, sleep } from '../clock.ts'

/** The credits before something was done, and after. */
export interface Charge {
  before: number
  after: number
}

/** A balance that does not change for so long is final, unless a charge came later than that before. */
const STILL_MS = 15_000
/** So long a charge that should come is waited for. */
const LONGEST_WAIT_MS = 90_000
const INTERVAL_MS = 3_000

/** The balance of the account. When a charge shows is not stated, so an unexpected one is read until it no longer changes. */
export class Balance {
  readonly #read: () => Promise<number | undefined>
  readonly #clock: ConformanceClock
  /** How late a charge showed so far. Others may be as late. */
  #latenessMs = 0
  #atStart: number | undefined

  constructor(readCredits: (() => Promise<number>) | undefined, clock: ConformanceClock) {
    // The results of paid runs must not be lost with it.
    this.#read = async () => readCredits?.().catch(() => undefined)
    this.#clock = clock
  }

  /** Reads the balance before anything is run. */
  async open(): Promise<void> {
    this.#atStart = await this.#read()
  }

  /** What was charged so far; `undefined` where that cannot be read. */
  async charged(): Promise<number | undefined> {
    const now = this.#atStart === undefined ? undefined : await this.#read()
    return now === undefined || this.#atStart === undefined ? undefined : this.#atStart - now
  }

  /** The balance before anything was run, and now that it no longer changes. */
  async whole(): Promise<Charge | undefined> {
    const [before, after] = [this.#atStart, await this.#settled()]
    return before === undefined || after === undefined ? undefined : { before, after }
  }

  /**
   * Does `work`, and reads the balance before and after where possible.
   *
   * @param priceOf what `work` should cost by its value; `undefined` where that is open
   */
  async measured<Value>(
    work: () => Promise<Value>,
    priceOf: (value: Value) => number | undefined,
  ): Promise<{ value: Value; charge: Charge | undefined }> {
    const before = this.#latenessMs > 0 ? await this.#settled() : await this.#read()
    const value = await work()
    const early = await this.#read()
    if (before === undefined || early === undefined) return { value, charge: undefined }
    const price = priceOf(value)
    const isExpected = this.#latenessMs === 0 && before - early === price
    const after = isExpected ? early : await this.#settled(price && before - price)
    return { value, charge: after === undefined ? undefined : { before, after } }
  }

  /**
   * The balance once it no longer changes.
   *
   * @param expected the balance that is waited for longer than others
   */
  async #settled(expected?: number): Promise<number | undefined> {
    const startedAt = this.#clock.now()
    const waitedMs = () => this.#clock.now() - startedAt
    const stillMs = Math.max(STILL_MS, 1.5 * this.#latenessMs)
    let last = await this.#read()
    let changedMs = 0
    while (last !== undefined && waitedMs() < LONGEST_WAIT_MS) {
      const isMissing = expected !== undefined && last > expected
      if (!isMissing && waitedMs() - changedMs >= stillMs) return last
      await sleep(this.#clock, INTERVAL_MS)
      const next = await this.#read()
      if (next !== last) {
        changedMs = waitedMs()
        this.#latenessMs = Math.max(this.#latenessMs, changedMs)
      }
      last = next
    }
    return last
  }
}
