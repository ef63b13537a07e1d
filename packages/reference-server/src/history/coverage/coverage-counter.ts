import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { Job } from '../../domain/job.ts'
import type { JobEntry } from '../journal/journal-entry.ts'
import type { RequestFacts } from '../journal/request-record.ts'
import { type Coverage, coverageOf } from './coverage.ts'
import { COVERAGE_GROUPS, type CoverageGroup, coverageItems, transitionName, WEBHOOK_ORDERS } from './coverage-items.ts'
import { WebhookOrders } from './webhook-orders.ts'

/** Counts which behaviour was exercised. A reset leaves the counts alone: a suite resets between its tests. */
export class CoverageCounter {
  readonly #counts: Readonly<Record<CoverageGroup, Map<string, number>>>
  readonly #orders = new WebhookOrders()

  constructor(assumptions: Assumptions) {
    const items = coverageItems(assumptions)
    const zero = (group: CoverageGroup) => new Map(items[group].map((name) => [name, 0]))
    this.#counts = {
      answers: zero('answers'),
      codes: zero('codes'),
      transitions: zero('transitions'),
      webhooks: zero('webhooks'),
      faults: zero('faults'),
    }
  }

  /** @param faultKind of the fault that struck: such an answer is none of the endpoint's own */
  answered(facts: RequestFacts, job: Job | undefined, faultKind: string | undefined): void {
    const { jobStatus, code } = facts
    this.#count('codes', code ?? (jobStatus === 'failed' ? job?.end?.error?.code : undefined) ?? '')
    if (faultKind === undefined) this.#answered(facts, job)
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
      COVERAGE_GROUPS.flatMap((group) => [...this.#counts[group]].map(([name, count]) => ({ group, name, count }))),
    )
  }

  #answered(facts: RequestFacts, job: Job | undefined): void {
    const { route, status, jobStatus, code } = facts
    // A run that failed shows both, and is no refusal.
    const told = route === 'runModel' ? (jobStatus ?? code) : (code ?? jobStatus)
    this.#count('answers', [route, status, told, variantOf(facts, job)].filter((part) => part !== undefined).join(' '))
    if (job?.webhook === undefined) return
    if (route === 'runModel') this.#orders.answered(job)
    if (route === 'getJob' && job.end !== undefined) this.#orders.endShown(job)
  }

  /** What is not in the list is not counted: codes of a test's own, methods that do not exist. */
  #count(group: CoverageGroup, name: string): void {
    const count = this.#counts[group].get(name)
    if (count !== undefined) this.#counts[group].set(name, count + 1)
  }
}

/** The two ways to a 202 are two behaviours to a client. */
function variantOf({ route, jobStatus }: RequestFacts, job: Job | undefined): string | undefined {
  if (route !== 'runModel' || jobStatus !== 'processing') return undefined
  return job?.webhook === undefined ? '(held)' : '(webhook)'
}
