/** Credits that are set aside for one run, until its end is known. */
export interface BudgetReservation {
  /** Whose credits: a text that names the user, or all users together, and the window of time. */
  account: string
  /** Names the run. Random, and new for each one. */
  id: string
  /** 0 or more. */
  credits: number
}

/**
 * Where a proxy keeps what its users have spent. With several processes, one that they share: the guide shows it in Redis
 * and in Postgres. Each method is one atomic step.
 */
export interface BudgetStore {
  /**
   * Adds `credits` to what the account has used, unless it would then have used more than `limit`. The reservation is kept
   * until it is settled, or the account expires.
   *
   * @param reservation `expiresInMs`: when the account may be forgotten, with all that it holds; a whole number of
   * milliseconds, or undefined for never
   * @returns Whether it was added
   */
  reserve(reservation: BudgetReservation & { limit: number; expiresInMs: number | undefined }): Promise<boolean>
  /**
   * Ends a reservation: `charged` credits count as used instead of the reserved ones. An id that is not reserved in the
   * account changes nothing, so that a second settlement does not count.
   */
  settle(settlement: { account: string; id: string; charged: number }): Promise<void>
  /** Credits that the account has used: charged and reserved. 0 for an account that is not known. */
  balance(account: string): Promise<number>
}
