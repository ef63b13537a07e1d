import { type Checks, count, having, readOptions } from '../../arguments/checks.ts'
import { type Clock, systemClock } from '../../clock.ts'
import type { BudgetStore } from './budget-store.ts'

/** Options of {@link createMemoryBudgetStore}. */
export interface MemoryBudgetStoreOptions {
  /**
   * Accounts that are kept at most: one for each user and window. When all of them count, runs of further users are
   * rejected, because to forget an account would give its credits back. Default 100 000.
   */
  maxAccounts?: number | undefined
  /** Where time comes from. Default: the system. */
  clock?: Clock | undefined
}

interface Account {
  used: number
  reserved: Map<string, number>
  expiresAt: number
}

const MEMORY_OPTIONS: Checks<MemoryBudgetStoreOptions> = {
  maxAccounts: count,
  clock: /* @__PURE__ */ having('a clock', 'now'),
}

/** Keeps budgets in the memory of this process: they start anew with it, and each process has its own. */
export function createMemoryBudgetStore(options: MemoryBudgetStoreOptions = {}): BudgetStore {
  const given = readOptions('createMemoryBudgetStore', options, MEMORY_OPTIONS)
  const { clock = systemClock, maxAccounts = 100_000 } = given
  const accounts = new Map<string, Account>()

  function find(name: string): Account | undefined {
    const account = accounts.get(name)
    return account !== undefined && account.expiresAt > clock.now() ? account : undefined
  }

  function open(name: string, expiresInMs = Number.POSITIVE_INFINITY): Account {
    if (accounts.size >= maxAccounts) dropExpired()
    if (accounts.size >= maxAccounts) throw new Error(`The budget store in memory is full: ${maxAccounts} accounts.`)
    const account = { used: 0, reserved: new Map(), expiresAt: clock.now() + expiresInMs }
    accounts.set(name, account)
    return account
  }

  function dropExpired(): void {
    for (const name of accounts.keys()) if (find(name) === undefined) accounts.delete(name)
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
