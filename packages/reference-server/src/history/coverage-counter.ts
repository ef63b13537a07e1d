import type { Assumptions } from '../assumptions/assumptions.ts'
import type { Account } from '../domain/account.ts'
import type { Job } from '../domain/job.ts'
import { type Coverage, coverageOf } from './coverage.ts'
import { COVERAGE_GROUPS, type CoverageGroup, coverageItems, transitionName, WEBHOOK_ORDERS } from './coverage-items.ts'
import type { JobEntry } from './journal/journal-entry.ts'
import type { RequestDetails } from './journal/request-record.ts'

/** Counts which behaviour was exercised. A reset leaves the counts alone: a suite resets between its tests. */
export class CoverageCounter {
  readonly #counts: ReadonlyMap<CoverageGroup, Map<string, number>>
  readonly #orders = new WebhookOrders()

  constructor(assumptions: Assumptions) {
    const items = coverageItems(assumptions)
    this.#counts = new Map(COVERAGE_GROUPS.map((group) => [group, new Map(items[group].map((name) => [name, 0]))]))
  }

  /** @param faultKind of the injected fault, whose response does not count as one of the endpoint */
  requestHandled(details: RequestDetails, job: Job | undefined, faultKind: string | undefined): void {
    const { jobStatus, code } = details
    this.#count('codes', code ?? (jobStatus === 'failed' ? job?.end?.error?.code : undefined) ?? '')
    if (faultKind === undefined) this.#requestHandled(details, job)
    else this.#count('faults', faultKind)
  }

  changed({ from, to }: Pick<JobEntry, 'from' | 'to'>): void {
    this.#count('transitions', transitionName(from, to))
  }

  deliverySent(job: Job): void {
    for (const order of this.#orders.sent(job)) this.#count('webhooks', order)
  }

  deliveryEnded(outcome: string): void {
    this.#count('webhooks', outcome)
  }

  deliveryLost(): void {
    this.#count('webhooks', WEBHOOK_ORDERS.lost)
  }

  coverage(): Coverage {
    return coverageOf(
      [...this.#counts].flatMap(([group, counts]) => [...counts].map(([name, count]) => ({ group, name, count }))),
    )
  }

  #requestHandled(details: RequestDetails, job: Job | undefined): void {
    const { route, status, jobStatus, code } = details
    // A failed run shows both, and is not a rejection.
    const shown = route === 'runModel' ? (jobStatus ?? code) : (code ?? jobStatus)
    this.#count(
      'responses',
      [route, status, shown, variantOf(details, job)].filter((part) => part !== undefined).join(' '),
    )
    if (job?.webhook === undefined) return
    if (route === 'runModel') this.#orders.note(job, RESPONDED)
    if (route === 'getJob' && job.end !== undefined) this.#orders.note(job, END_SHOWN)
  }

  /** What is not in the list is not counted: codes of a test's own, methods that do not exist. */
  #count(group: CoverageGroup, name: string): void {
    const counts = this.#counts.get(group)
    const count = counts?.get(name)
    if (count !== undefined) counts?.set(name, count + 1)
  }
}

/** The two ways to a 202 are two behaviours to a client. */
function variantOf({ route, jobStatus }: RequestDetails, job: Job | undefined): string | undefined {
  if (route !== 'runModel' || jobStatus !== 'processing') return undefined
  return job?.webhook === undefined ? '(held)' : '(webhook)'
}

type Order = (typeof WEBHOOK_ORDERS)[keyof typeof WEBHOOK_ORDERS]

// What is known of a job, as bits: an object for each of a hundred thousand jobs would take megabytes.
/** The response to the run is sent. */
const RESPONDED = 1
/** A poll has shown that the job ended. */
const END_SHOWN = 2
const SENT = 4

/** Finds the order of deliveries among responses, polls and other deliveries. */
class WebhookOrders {
  readonly #known = new WeakMap<Job, number>()
  /** End of the job whose delivery started last. */
  readonly #lastEndAt = new WeakMap<Account, number>()

  /** @returns the orders that a delivery which starts now is an example of */
  sent(job: Job): Order[] {
    const known = this.note(job, SENT)
    return [
      ...(known & RESPONDED ? [] : [WEBHOOK_ORDERS.beforeResponse]),
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

  /** Notes what has happened to a job. @returns what was known before */
  note(job: Job, bit: number): number {
    const known = this.#known.get(job) ?? 0
    this.#known.set(job, known | bit)
    return known
  }
}
