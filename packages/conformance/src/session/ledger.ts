import { BlockedError } from '../judge/finding.ts'

/** What runs may cost by what is known of them. */
export interface Owed {
  /** Of those that are over. */
  ended: number
  /** Of those that may still be charged. */
  open: number
}

interface LedgerParts {
  limit: number
  /** What the runs so far may cost: a run that was rejected or cancelled is free (sections 1 and 3). */
  owed: () => Owed
  /** What the account was charged since the start, where that can be read. */
  charged: () => Promise<number | undefined>
}

/** Keeps what runs are charged below the limit, whatever the plan said, also where a service charges what is free. */
export class Ledger {
  readonly #parts: LedgerParts
  #sent = 0

  constructor(parts: LedgerParts) {
    this.#parts = parts
  }

  /** What the runs so far may cost. */
  get spent(): number {
    const { ended, open } = this.#parts.owed()
    return ended + open
  }

  /** @throws BlockedError when the limit could be passed; the run must not be sent then */
  async spend(credits: number): Promise<void> {
    const { limit, owed, charged } = this.#parts
    if (this.#sent + credits > limit) {
      const { ended, open } = owed()
      if (Math.max(ended, (await charged()) ?? 0) + open + credits > limit)
        throw new BlockedError(`another run for ${credits} credits could pass the limit of ${limit}`)
    }
    this.#sent += credits
  }
}
