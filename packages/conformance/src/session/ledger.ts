import { BlockedError } from '../judge/finding.ts'

/** Keeps the price of the runs that were sent below the limit, whatever the plan said. */
export class Ledger {
  readonly limit: number
  #sent = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** Price of all runs that were sent. */
  get sent(): number {
    return this.#sent
  }

  /** @throws BlockedError when the limit would be passed; the run must not be sent then */
  spend(credits: number): void {
    if (this.#sent + credits > this.limit) {
      throw new BlockedError(`another run for ${credits} credits would pass the limit of ${this.limit}`)
    }
    this.#sent += credits
  }
}
