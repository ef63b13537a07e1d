import type { Account } from '../../domain/account.ts'
import type { Job } from '../../domain/job.ts'
import { WEBHOOK_ORDERS } from './coverage-items.ts'

type Order = (typeof WEBHOOK_ORDERS)[keyof typeof WEBHOOK_ORDERS]

// What is known of a job, as bits: an object for each of a hundred thousand jobs would take megabytes.
const ANSWERED = 1
const END_SHOWN = 2
const SENT = 4

/** Tells in which order deliveries happen among answers, polls and other deliveries. */
export class WebhookOrders {
  readonly #known = new WeakMap<Job, number>()
  /** End of the job whose delivery began last. */
  readonly #lastEndAt = new WeakMap<Account, number>()

  /** The answer to the run is sent. */
  answered(job: Job): void {
    this.#add(job, ANSWERED)
  }

  /** A poll has shown that the job ended. */
  endShown(job: Job): void {
    this.#add(job, END_SHOWN)
  }

  /** @returns what a delivery that begins now is an example of */
  sent(job: Job): Order[] {
    const known = this.#add(job, SENT)
    return [
      ...(known & ANSWERED ? [] : [WEBHOOK_ORDERS.beforeAnswer]),
      known & END_SHOWN ? WEBHOOK_ORDERS.afterPoll : WEBHOOK_ORDERS.beforePoll,
      ...(known & SENT ? [WEBHOOK_ORDERS.twice] : []),
      ...(this.#isOutOfOrder(job) ? [WEBHOOK_ORDERS.outOfOrder] : []),
    ]
  }

  #isOutOfOrder({ account, end }: Job): boolean {
    const lastEndAt = this.#lastEndAt.get(account) ?? Number.NEGATIVE_INFINITY
    const endAt = end?.at ?? lastEndAt
    this.#lastEndAt.set(account, endAt)
    return endAt < lastEndAt
  }

  /** @returns what was known before */
  #add(job: Job, bit: number): number {
    const known = this.#known.get(job) ?? 0
    this.#known.set(job, known | bit)
    return known
  }
}
