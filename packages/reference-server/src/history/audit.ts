import type { Account } from '../domain/account.ts'
import { chargeOf, type Job, type JobEnd } from '../domain/job.ts'

/** A rule of the service that the server itself broke. */
export interface Violation {
  readonly message: string
  /** The affected job, if there is one. */
  readonly job?: Job | undefined
}

/** The expected credits of an account, computed without `Credits`. */
interface ExpectedCredits {
  charged: number
  reserved: number
}

/**
 * Computes the credits of every account on its own and compares them: each run reserves its price, its end
 * charges it (success) or gives it back (anything else), and nothing else moves credits.
 */
export class Audit {
  readonly #expected = new Map<Account, ExpectedCredits>()
  readonly #ended = new WeakSet<Job>()
  #violations: Violation[] = []

  /** A job was created; its price is reserved already. */
  created(job: Job): void {
    const price = priceOf(job)
    const { charged, reserved } = job.account.credits
    const expected = this.#expected.get(job.account) ?? { charged, reserved: reserved - price }
    this.#expected.set(job.account, { ...expected, reserved: expected.reserved + price })
    this.#compare(job.account, `${job.id} was created, which reserves ${price} credits and charges none`, job)
  }

  /** A job has ended; its credits are settled already. */
  ended(job: Job, end: JobEnd): void {
    const { status } = end
    const price = priceOf(job)
    if (this.#ended.has(job)) this.#violations.push({ message: `${job.id} ended once more, as ${status}.`, job })
    this.#ended.add(job)
    const expected = this.#expected.get(job.account)
    if (expected === undefined) return
    const charge = chargeOf(job, end)
    this.#expected.set(job.account, { charged: expected.charged + charge, reserved: expected.reserved - price })
    this.#compare(job.account, `${job.id} ended ${status}, which charges ${charge} credits`, job)
  }

  /** The credits of an account, or of all, start again. */
  forget(account?: Account): void {
    if (account === undefined) this.#expected.clear()
    else this.#expected.delete(account)
  }

  /** The violations since the last call. */
  check(): readonly Violation[] {
    for (const account of this.#expected.keys()) this.#compare(account, 'no job was created and none ended')
    const found = this.#violations
    this.#violations = []
    return found
  }

  #compare(account: Account, what: string, job?: Job): void {
    const expected = this.#expected.get(account)
    const { charged, reserved, granted, left } = account.credits
    if (expected === undefined) return
    const problems = [
      charged === expected.charged ? '' : `${charged} credits are charged and not ${expected.charged}`,
      reserved === expected.reserved ? '' : `${reserved} credits are reserved and not ${expected.reserved}`,
      left >= 0 ? '' : `${charged} of ${granted} credits are charged`,
    ].filter((problem) => problem !== '')
    if (problems.length === 0) return
    this.#violations.push({ message: `${what}, yet in an account ${problems.join(', and ')}.`, job })
    // Corrected, so that a violation is reported once.
    this.#expected.set(account, { charged, reserved })
  }
}

function priceOf({ model }: Job): number {
  return model.pricing.credits_per_run
}
