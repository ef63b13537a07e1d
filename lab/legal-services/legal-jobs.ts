import type { LegalModel } from './legal-catalog.ts'
import { isRejection, type LegalChoices } from './legal-choices.ts'
import { chargeOf, type LegalJob, statusOf } from './legal-job.ts'
import { type Reply, rejection, reply } from './legal-responses.ts'

const CREDITS = { main: 1_000_000, poor: 0 } as Readonly<Record<string, number>>

interface NewJob {
  account: string
  model: LegalModel
  fails: boolean
  queuedMs: number
  webhookUrl: string | undefined
}

/** The jobs of all accounts, and what is left of their credits. */
export class LegalJobs {
  readonly #jobs = new Map<string, LegalJob>()
  readonly #choices: LegalChoices
  readonly #now: () => number

  constructor(choices: LegalChoices, now: () => number) {
    this.#choices = choices
    this.#now = now
  }

  create({ account, model, fails, queuedMs, webhookUrl }: NewJob): LegalJob {
    const number = this.#jobs.size + 1
    const createdAt = this.#now()
    const processingAt = createdAt + queuedMs
    const job: LegalJob = {
      id: this.#choices.modelIds === 'special' ? `job:~=${number}` : `job-${number}`,
      requestId: `request-${number}`,
      account,
      model,
      fails,
      createdAt,
      processingAt,
      endsAt: processingAt + model.runMs,
      cancelledAt: undefined,
      onCancel: [],
      webhookUrl,
    }
    this.#jobs.set(job.id, job)
    return job
  }

  find(id: string, account: string): LegalJob | undefined {
    const job = this.#jobs.get(id)
    return job?.account === account ? job : undefined
  }

  credits(account: string): number {
    const own = [...this.#jobs.values()].filter((job) => job.account === account)
    const shownAt = this.#now() - this.#choices.ledgerDelayMs
    const charged = own.reduce((sum, job) => sum + chargeOf(job, shownAt, this.#choices), 0)
    return (CREDITS[account] ?? 0) - charged
  }

  /** `DELETE /v1/jobs/{id}` (section 4.5). */
  cancel(job: LegalJob | undefined): Reply {
    const { cancelOfFinished, secondCancel, cancelTakesMs, cancelStatus } = this.#choices
    if (job === undefined) return this.#cancelOfUnknown()
    const now = this.#now()
    const status = statusOf(job, now)
    const isOver = status === 'succeeded' || status === 'failed'
    const choice = isOver ? cancelOfFinished : job.cancelledAt === undefined ? cancelStatus : secondCancel
    if (isOver && this.#choices.finishedIsCancelled) {
      job.cancelledAt = now
      return reply(200, this.#cancelBody(job))
    }
    if (isRejection(choice)) return rejection(choice)
    if (!isOver && job.cancelledAt === undefined) {
      // What ends before the cancel takes effect stays as it ended.
      job.cancelledAt = Math.min(now + cancelTakesMs, job.endsAt - 1)
      for (const notify of job.onCancel) notify()
    }
    return reply(choice, choice === 204 ? undefined : this.#cancelBody(job))
  }

  #cancelOfUnknown(): Reply {
    const { cancelOfUnknown } = this.#choices
    if (isRejection(cancelOfUnknown)) return rejection(cancelOfUnknown)
    return cancelOfUnknown === 204 ? reply(204) : reply(cancelOfUnknown, {})
  }

  #cancelBody(job: LegalJob): unknown {
    const status = statusOf(job, this.#now())
    return {
      data: { data: { job_id: job.id, status } },
      flat: { job_id: job.id, status },
      message: { message: 'The job will be cancelled.' },
      empty: undefined,
    }[this.#choices.cancelBody]
  }
}
