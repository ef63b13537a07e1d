import { type Clock, wallNow } from '../../shared/clock.ts'

/** Credits that are reserved for one run, until its end is known. */
export interface BudgetReservation {
  /** Whose credits: a text that names the user, or all users together, and the window of time. */
  account: string
  /** Names the run. Random, and new for each one. */
  id: string
  /** 0 or more. */
  credits: number
}

/**
 * Stores what the users of a proxy have spent. Several processes need a store that they share: the guide shows it in
 * Redis and in Postgres. Each method is one atomic step.
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

/**
 * Accounts that are kept at most: one for each user and window. When all of them count, runs of further users are rejected, because
 * to forget an account would give its credits back.
 */
const MAX_ACCOUNTS = 100_000

interface Account {
  used: number
  reserved: Map<string, number>
  expiresAt: number
}

/** Keeps budgets in the memory of this process: they start again with it, and each process has its own. */
export function createMemoryBudgetStore(clock: Clock, maxAccounts = MAX_ACCOUNTS): BudgetStore {
  const accounts = new Map<string, Account>()

  function find(name: string): Account | undefined {
    const account = accounts.get(name)
    return account !== undefined && account.expiresAt > wallNow(clock) ? account : undefined
  }

  function open(name: string, expiresInMs = Number.POSITIVE_INFINITY): Account {
    if (accounts.size >= maxAccounts) {
      for (const name of accounts.keys()) if (find(name) === undefined) accounts.delete(name)
    }
    if (accounts.size >= maxAccounts) throw new Error(`The budget store in memory is full: ${maxAccounts} accounts.`)
    const account = { used: 0, reserved: new Map(), expiresAt: wallNow(clock) + expiresInMs }
    accounts.set(name, account)
    return account
  }

  return {
    reserve: async ({ account: name, id, credits, limit, expiresInMs }) => {
      const used = find(name)?.used ?? 0
      // Written so that what is not a number is rejected.
      if (!(used + credits <= limit)) return false
      const account = find(name) ?? open(name, expiresInMs)
      account.used += credits
      account.reserved.set(id, credits)
      return true
    },
    settle: async ({ account: name, id, charged }) => {
      const account = find(name)
      const credits = account?.reserved.get(id)
      if (account === undefined || credits === undefined) return
      account.reserved.delete(id)
      account.used += charged - credits
    },
    balance: async (name) => find(name)?.used ?? 0,
  }
}
