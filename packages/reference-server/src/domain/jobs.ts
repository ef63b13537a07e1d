import { LATEST_TIME_MS } from '../clock/clock.ts'
import { TimerQueue } from '../clock/virtual-timers.ts'
import { FairBuffer } from '../shared/fair-buffer.ts'
import type { Account } from './account.ts'
import {
  chargeOf,
  type Job,
  type JobEnd,
  type JobPlan,
  type JobWebhook,
  type ProviderPlan,
  providerFailure,
} from './job.ts'
import { DEFAULT_RETENTION, type Retention } from './retention.ts'

/** What a new job is made from. */
export type NewJob = Pick<Job, 'id' | 'requestId' | 'account' | 'model' | 'input' | 'seed' | 'createdAt'> & {
  plan: JobPlan
  webhook: JobWebhook | undefined
}

/** Called when a job has ended, after its credits were settled. A job that a reset forgot ends too. */
export type JobEndListener = (job: Job, end: JobEnd, isForgotten: boolean) => void

/** How many finished jobs are stored, and what is charged. */
export interface JobsOptions extends Partial<Retention> {
  /** Whether a job that fails is charged. Default `false`. */
  chargesFailed?: boolean | undefined
}

/** The plan of a job that has ended: it is not needed, and a hundred thousand plans would take 10 MB. */
export const PLAN_IS_OVER: ProviderPlan = { endsAt: undefined, afterReads: 0, status: 'succeeded' }

/**
 * All jobs. Nothing runs here: `settle` catches up with the clock. Call it before reading jobs or credits.
 */
export class Jobs {
  readonly #byId = new Map<string, Job>()
  readonly #unfinished = new Set<Job>()
  /** The jobs that time alone will end. */
  readonly #ends = new TimerQueue<Job>()
  readonly #endHandles = new Map<Job, number>()
  readonly #now: () => number
  readonly #onEnd: JobEndListener
  readonly #chargesFailed: boolean
  readonly #finished: FairBuffer<Account, Job>
  #evicted = 0

  constructor(now: () => number, onEnd: JobEndListener, options: JobsOptions = {}) {
    const { chargesFailed = false, finishedJobs: limit = DEFAULT_RETENTION.finishedJobs } = options
    this.#now = now
    this.#chargesFailed = chargesFailed
    this.#onEnd = onEnd
    this.#finished = new FairBuffer({
      limit,
      weigh: (job) => Math.min(limit, weightOf(job)),
      onEvict: (job) => this.#evict(job),
    })
  }

  /** How many finished jobs had to go by now. */
  get evicted(): number {
    return this.#evicted
  }

  /** The jobs that had not ended when the clock was last settled, in the order in which they were created. */
  unfinished(): Job[] {
    return [...this.#unfinished]
  }

  /** The stored finished jobs, as of the last `settle`; those of one account in the order of their ends. */
  finished(): Job[] {
    return this.#finished.of()
  }

  /** Place of a job among those that time alone will end: at the same time, the lower one ends first. */
  endPlace(job: Job): number | undefined {
    return this.#endHandles.get(job)
  }

  /** Takes a job in as another server had it. An unfinished one does not end by itself until `awaitEnd`. */
  adopt(job: Job): void {
    this.#byId.set(job.id, job)
    if (job.end === undefined) this.#unfinished.add(job)
    else this.#finished.add(job.account, job)
  }

  /** Lets time end an adopted job; call it in the order of `endPlace`. */
  awaitEnd(job: Job): void {
    this.#endAt(job, job.endsAt)
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
    this.#unfinished.add(job)
    if (job.plan.afterReads === 0) this.#endAt(job, job.plan.endsAt)
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
    for (let due = this.#ends.takeDue(now); due !== undefined; due = this.#ends.takeDue(now)) {
      const { status, output, error } = due.value.plan
      this.#finish(due.value, { status, at: due.dueAt, output, error })
    }
    return now
  }

  /** Counts a read of the status. Call it after the response is made. */
  countRead(job: Job): void {
    if (job.end !== undefined) return
    job.reads++
    if (job.reads !== job.plan.afterReads) return
    this.#endAt(job, Math.max(this.#now(), job.plan.endsAt ?? LATEST_TIME_MS))
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

  #endAt(job: Job, endsAt: number | undefined): void {
    job.endsAt = endsAt
    if (endsAt !== undefined) this.#endHandles.set(job, this.#ends.add(endsAt, job))
  }

  #finish(job: Job, end: JobEnd): void {
    this.#ends.remove(this.#endHandles.get(job))
    this.#endHandles.delete(job)
    const error = end.status === 'failed' ? (end.error ?? providerFailure(job.model)) : undefined
    job.end = { ...end, error, ...(end.status === 'failed' && this.#chargesFailed ? { isCharged: true } : {}) }
    if (chargeOf(job, job.end) > 0) job.account.credits.charge(job.model.pricing.credits_per_run)
    else job.account.credits.release(job.model.pricing.credits_per_run)
    job.plan = PLAN_IS_OVER
    job.endsAt = undefined
    this.#unfinished.delete(job)
    const isForgotten = !this.has(job)
    // Before the listener: it may call a receiver in this process, which may take a snapshot.
    if (!isForgotten) this.#finished.add(job.account, job)
    this.#onEnd(job, job.end, isForgotten)
  }

  #evict(job: Job): void {
    this.#evicted++
    this.#byId.delete(job.id)
  }
}

/** So many characters of an input count as one more job. */
const INPUT_LENGTH_OF_A_JOB = 1_024

/** How much room a job takes among the finished ones. Its input may have an image of a megabyte, as a data URI. */
function weightOf({ input }: Job): number {
  const length = Object.values(input).reduce<number>((sum, value) => sum + (JSON.stringify(value) ?? '').length, 0)
  return 1 + Math.floor(length / INPUT_LENGTH_OF_A_JOB)
}
