import { createHeap, type HeapItem } from '@modelrun/kit'
import { LATEST_TIME_MS } from '../clock/clock.ts'
import { FairBuffer } from '../shared/fair-buffer.ts'
import type { Account } from './account.ts'
import type { Job, JobEnd, JobPlan, JobWebhook, ProviderPlan } from './job.ts'
import { chargeOf, providerFailure } from './job.ts'

export type NewJob = Pick<Job, 'id' | 'requestId' | 'account' | 'model' | 'input' | 'seed' | 'createdAt'> & {
  plan: JobPlan
  webhook: JobWebhook | undefined
}

/** Called when a job has ended, after its credits were settled. A job that a reset forgot ends too. */
export type JobEndListener = (job: Job, end: JobEnd, isForgotten: boolean) => void

interface JobsOptions {
  /** How many finished jobs are stored. */
  finishedJobs: number
  chargesFailed: boolean
}

/** The plan of a job that has ended: it is not needed, and a hundred thousand plans would take 10 MB. */
export const PLAN_IS_OVER: ProviderPlan = { endsAt: undefined, afterReads: 0, status: 'succeeded' }

/** A job that has not ended. Of several that end at the same time, the older one ends first. */
interface Unfinished extends HeapItem {
  readonly job: Job
}

/** All jobs. Nothing runs here: `settle` catches up with the clock. Call it before reading jobs or credits. */
export class Jobs {
  readonly #byId = new Map<string, Job>()
  readonly #unfinished = new Map<Job, Unfinished>()
  /** The jobs that time alone will end. */
  readonly #ends = createHeap<Unfinished>()
  readonly #now: () => number
  readonly #onEnd: JobEndListener
  readonly #chargesFailed: boolean
  readonly #finished: FairBuffer<Account, Job>
  #created = 0

  constructor(now: () => number, onEnd: JobEndListener, { finishedJobs: limit, chargesFailed }: JobsOptions) {
    this.#now = now
    this.#chargesFailed = chargesFailed
    this.#onEnd = onEnd
    this.#finished = new FairBuffer({
      limit,
      weigh: (job) => Math.min(limit, weightOf(job)),
      onEvict: (job) => this.#byId.delete(job.id),
    })
  }

  /** The jobs that had not ended when the clock was last settled, in the order in which they were created. */
  unfinished(): Job[] {
    return [...this.#unfinished.keys()]
  }

  /** The stored finished jobs, as of the last `settle`; those of one account in the order of their ends. */
  finished(): Job[] {
    return this.#finished.of()
  }

  /** Takes a job in as another server had it; unfinished ones in the order in which they were created. */
  adopt(job: Job): void {
    this.#byId.set(job.id, job)
    if (job.end === undefined) this.#start(job, job.endsAt)
    else this.#finished.add(job.account, job)
  }

  /** Creates a job whose price is already reserved. */
  create({ plan, ...fields }: NewJob): Job {
    const { id, requestId, account, model, input, seed, createdAt, webhook } = fields
    // Member by member: V8 stores members that a spread adds in a second object, which takes more memory.
    const job: Job = {
      id,
      requestId,
      account,
      model,
      input,
      seed,
      createdAt,
      webhook,
      processingAt: plan.processingAt,
      plan: plan.provider,
      reads: 0,
      endsAt: undefined,
      end: undefined,
    }
    this.#byId.set(job.id, job)
    this.#start(job, job.plan.afterReads === 0 ? job.plan.endsAt : undefined)
    return job
  }

  /** A job as it stands now. */
  find(id: string): Job | undefined {
    this.settle()
    return this.#byId.get(id)
  }

  /** Whether the job is still known: a reset forgets jobs, and retention drops the oldest finished ones. */
  has(job: Job): boolean {
    return this.#byId.get(job.id) === job
  }

  /**
   * Ends every job whose provider is done by now, in the order of their ends.
   *
   * @returns the time of "now": jobs and credits that are read in the same turn are those of this moment
   */
  settle(): number {
    const now = this.#now()
    for (let due = this.#ends.first(); due !== undefined && due.at <= now; due = this.#ends.first()) {
      const { status, output, error } = due.job.plan
      this.#finish(due.job, { status, at: due.at, output, error })
    }
    return now
  }

  /** Counts a read of the status. Call it after the response is made. */
  countRead(job: Job): void {
    if (job.end !== undefined) return
    job.reads++
    if (job.reads === job.plan.afterReads) this.#endAt(job, Math.max(this.#now(), job.plan.endsAt ?? LATEST_TIME_MS))
  }

  /** Ends a job by hand. Returns `false` when it has already ended. */
  end(job: Job, end: Omit<JobEnd, 'at'>): boolean {
    this.settle()
    if (job.end !== undefined) return false
    this.#finish(job, { ...end, at: this.#now() })
    return true
  }

  /** Forgets the jobs of an account, or all; unfinished ones end `cancelled`. */
  forget(account?: Account): void {
    for (const job of this.#byId.values()) {
      if (account !== undefined && job.account !== account) continue
      this.#byId.delete(job.id)
      this.end(job, { status: 'cancelled' })
    }
    this.#finished.forget(account)
  }

  #start(job: Job, endsAt: number | undefined): void {
    this.#unfinished.set(job, { job, at: 0, order: ++this.#created, slot: -1 })
    if (endsAt !== undefined) this.#endAt(job, endsAt)
  }

  #endAt(job: Job, endsAt: number): void {
    job.endsAt = endsAt
    const unfinished = this.#unfinished.get(job)
    if (unfinished !== undefined) this.#ends.put(Object.assign(unfinished, { at: endsAt }))
  }

  #finish(job: Job, end: JobEnd): void {
    const unfinished = this.#unfinished.get(job)
    if (unfinished !== undefined) this.#ends.remove(unfinished)
    this.#unfinished.delete(job)
    const error = end.status === 'failed' ? (end.error ?? providerFailure(job.model)) : undefined
    job.end = { ...end, error, ...(end.status === 'failed' && this.#chargesFailed ? { isCharged: true } : {}) }
    if (chargeOf(job, job.end) > 0) job.account.credits.charge(job.model.pricing.credits_per_run)
    else job.account.credits.release(job.model.pricing.credits_per_run)
    job.plan = PLAN_IS_OVER
    job.endsAt = undefined
    const isForgotten = !this.has(job)
    // Before the listener: it may call a receiver in this process, which may take a snapshot.
    if (!isForgotten) this.#finished.add(job.account, job)
    this.#onEnd(job, job.end, isForgotten)
  }
}

/** So many characters of an input count as one more job. */
const INPUT_LENGTH_OF_A_JOB = 1_024

/** How much room a job takes among the finished ones. Its input may have an image of a megabyte, as a data URI. */
function weightOf({ input }: Job): number {
  const length = Object.values(input).reduce<number>((sum, value) => sum + (JSON.stringify(value) ?? '').length, 0)
  return 1 + Math.floor(length / INPUT_LENGTH_OF_A_JOB)
}
