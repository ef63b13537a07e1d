import type { Account } from '../domain/account.ts'
import { AccountFaults } from './account-faults.ts'

/** The faults of every account. */
export class Faults {
  readonly #seed: number
  readonly #byAccount = new Map<Account, AccountFaults>()

  constructor(seed: number) {
    this.#seed = seed
  }

  of(account: Account): AccountFaults {
    const known = this.#byAccount.get(account)
    if (known !== undefined) return known
    const made = new AccountFaults(this.#seed)
    this.#byAccount.set(account, made)
    return made
  }

  /** Forgets the faults of an account, or of all. */
  forget(account?: Account): void {
    if (account === undefined) this.#byAccount.clear()
    else this.#byAccount.delete(account)
  }
}
