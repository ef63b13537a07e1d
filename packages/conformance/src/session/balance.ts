import { type ConformanceClock, sleep } from '../clock.ts'

/** The balance at a time when nothing was running. */
export interface Mark {
  /** Id of the last exchange before it. */
  after: number
  credits: number
}

/** A balance that does not change for so long is final, unless a charge came later than that before. */
const STILL_MS = 15_000
/** So long a charge that should come is waited for. */
const LONGEST_WAIT_MS = 90_000
const INTERVAL_MS = 3_000
/** Enough to see when a run is charged. */
const EARLY_READINGS = 8

/** The balance of the account. When a charge shows is not stated, so an unexpected one is read until it no longer changes. */
export class Balance {
  readonly #read: () => Promise<number | undefined>
  readonly #clock: ConformanceClock
  /** How late a charge showed so far. Others may be as late. */
  #latenessMs = 0
  /** In order. What was charged between two of them is what ran between them. */
  readonly marks: Mark[] = []
  /** Balances while a job had not ended. */
  readonly early: Mark[] = []

  constructor(readCredits: (() => Promise<number>) | undefined, clock: ConformanceClock) {
    // The results of paid runs must not be lost with it.
    this.#read = async () => readCredits?.().catch(() => undefined)
    this.#clock = clock
  }

  /** Reads the balance before anything is run. */
  async open(): Promise<void> {
    this.#add(0, await this.#read())
  }

  /** What was charged so far; `undefined` where that cannot be read. */
  async charged(): Promise<number | undefined> {
    const [atStart] = this.marks
    const now = atStart && (await this.#read())
    return now === undefined || atStart === undefined ? undefined : atStart.credits - now
  }

  /** Reads the balance while a job has not ended, a few times. */
  async readEarly(after: number): Promise<void> {
    const credits = this.early.length < EARLY_READINGS && this.marks.length > 0 ? await this.#read() : undefined
    if (credits !== undefined) this.early.push({ after, credits })
  }

  /**
   * Reads the balance while nothing is running.
   *
   * @param after id of the last exchange
   * @param price what was run since the last mark should cost; `undefined` where that is open, `failed` where it may be charged, or refunded, as late as can be
   */
  async mark(after: number, price: number | undefined | 'failed'): Promise<void> {
    const last = this.marks.at(-1)
    const early = last && (await this.#read())
    if (last === undefined || early === undefined) return
    const isExpected = last.credits - early === price
    if (isExpected) this.#add(after, early)
    else this.#add(after, await this.#settled(typeof price === 'number' ? last.credits - price : price))
  }

  /** Reads the balance at the end, once it no longer changes. */
  async close(): Promise<void> {
    if (this.marks.length > 0) this.#add(Number.POSITIVE_INFINITY, await this.#settled('failed'))
  }

  #add(after: number, credits: number | undefined): void {
    if (credits !== undefined) this.marks.push({ after, credits })
  }

  /**
   * The balance once it no longer changes.
   *
   * @param expected the balance that is waited for longer than others; `failed`: any may be final, but not before the longest wait
   */
  async #settled(expected: number | undefined | 'failed'): Promise<number | undefined> {
    const startedAt = this.#clock.now()
    const waitedMs = () => this.#clock.now() - startedAt
    const stillMs = expected === 'failed' ? LONGEST_WAIT_MS : Math.max(STILL_MS, 1.5 * this.#latenessMs)
    let last = await this.#read()
    let changedMs = 0
    while (last !== undefined && waitedMs() < LONGEST_WAIT_MS) {
      const isWrong = typeof expected === 'number' && last !== expected
      if (!isWrong && waitedMs() - changedMs >= stillMs) return last
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
