import type { Account } from '../domain/account.ts'
import type { Job } from '../domain/job.ts'
import { WEBHOOK_ORDERS } from './coverage-items.ts'

interface Progress {
  isAnswered: boolean
  hasShownEnd: boolean
  deliveries: number
}

type Order = (typeof WEBHOOK_ORDERS)[keyof typeof WEBHOOK_ORDERS]

/** Tells in which order deliveries happen among answers, polls and other deliveries. */
export class WebhookOrders {
  readonly #progress = new WeakMap<Job, Progress>()
  /** End of the job whose delivery began last. */
  readonly #lastEndAt = new WeakMap<Account, number>()

  /** The answer to the run is sent. */
  answered(job: Job): void {
    this.#of(job).isAnswered = true
  }

  /** A poll has shown that the job ended. */
  endShown(job: Job): void {
    this.#of(job).hasShownEnd = true
  }

  /** @returns what a delivery that begins now is an example of */
  sent(job: Job): Order[] {
    const progress = this.#of(job)
    progress.deliveries++
    return [
      ...(progress.isAnswered ? [] : [WEBHOOK_ORDERS.beforeAnswer]),
      progress.hasShownEnd ? WEBHOOK_ORDERS.afterPoll : WEBHOOK_ORDERS.beforePoll,
      ...(progress.deliveries > 1 ? [WEBHOOK_ORDERS.twice] : []),
      ...(this.#isOutOfOrder(job) ? [WEBHOOK_ORDERS.outOfOrder] : []),
    ]
  }

  #isOutOfOrder({ account, end }: Job): boolean {
    const lastEndAt = this.#lastEndAt.get(account) ?? Number.NEGATIVE_INFINITY
    const endAt = end?.at ?? lastEndAt
    this.#lastEndAt.set(account, endAt)
    return endAt < lastEndAt
  }

  #of(job: Job): Progress {
    const known = this.#progress.get(job)
    if (known !== undefined) return known
    const progress = { isAnswered: false, hasShownEnd: false, deliveries: 0 }
    this.#progress.set(job, progress)
    return progress
  }
}
