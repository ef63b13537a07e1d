import type { Account } from '../domain/account.ts'
import { AccountFaults } from './account-faults.ts'

/** The faults of every account. */
export class Faults {
  #seed: number
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

  /** The seed of faults that are added from now on. */
  get seed(): number {
    return this.#seed
  }

  /** Forgets all faults; those to come are made from another seed. */
  restart(seed: number): void {
    this.#seed = seed
    this.forget()
  }

  /** Forgets the faults of an account, or of all. */
  forget(account?: Account): void {
    if (account === undefined) this.#byAccount.clear()
    else this.#byAccount.delete(account)
  }
}
