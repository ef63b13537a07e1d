import { createAsyncQueue } from '../async-queue.ts'
import type { Core } from '../core.ts'
import { type Caller, showCaller } from '../errors/caller-stack.ts'
import { AbortedError } from '../errors/transport-errors.ts'
import type { JobHandle } from '../jobs/job-handle.ts'
import { type JobSource, jobHandleOf } from '../jobs/settle-jobs.ts'
import { startWait } from '../jobs/wait-for-job.ts'
import { endRunSpan, inRunSpan } from '../observe/run-span.ts'
import type { SafeSpan } from '../observe/safe-span.ts'
import type { RunManyOptions, RunManyProgress, SettledRun } from './run-many-options.ts'
import { submitRun } from './run-model.ts'
import type { RunResult } from './run-result.ts'

/** The inputs of many runs, and what to do with them. */
export interface RunManyCall<I> {
  model: string
  inputs: Iterable<I> | AsyncIterable<I>
  options: RunManyOptions<I>
  /** Errors show the line that called. */
  caller: Caller
}

/** How a run ended. */
type Outcome = { status: 'fulfilled'; value: RunResult } | { status: 'rejected'; reason: unknown }

/** One of the runs. */
interface PoolRun<I> {
  index: number
  input: I
  /** Its job, from an earlier attempt. */
  known?: JobSource | undefined
  /** Its span, which ends with it; undefined without a tracer, and for a job that is known. */
  span?: SafeSpan | undefined
}

/** The runs that are under way, or whose result waits to be taken: an input is taken when a place is free. */
export class RunPool<I extends object> {
  readonly #core: Core
  readonly #model: string
  readonly #options: RunManyOptions<I>
  readonly #caller: Caller
  readonly #concurrency: number
  readonly #source: Iterator<I> | AsyncIterator<I>
  /** The runs that ended; undefined when something else may have changed. */
  readonly #news = createAsyncQueue<SettledRun<I> | undefined>()
  readonly #waits = new Set<() => void>()
  #isTaking = false
  #isLeft = false
  /** No further run begins. */
  #isOver = false
  /** What the loop throws when the runs under way have ended. */
  #failure: { error: unknown } | undefined
  #size = 0
  #started = 0
  #settled = 0

  constructor(core: Core, { model, inputs, options, caller }: RunManyCall<I>) {
    this.#core = core
    this.#model = model
    this.#options = options
    this.#caller = caller
    this.#concurrency = options.concurrency ?? 8
    this.#source = Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]()
    if (options.signal?.aborted) this.#onAbort()
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** The next run that ends; undefined after the last one. @throws What ended the loop, after the runs under way */
  async next(): Promise<SettledRun<I> | undefined> {
    for (;;) {
      if (!this.#isOver && !this.#isTaking && this.#size < this.#concurrency) void this.#take()
      if (this.#isOver && this.#size === 0) break
      const settled = await this.#news.next()
      if (settled === undefined) continue
      this.#size--
      if (settled.status === 'fulfilled' || !this.#options.stopOnError || this.#failure) return settled
      this.#fail(settled.reason)
    }
    if (this.#failure) throw this.#failure.error
    return undefined
  }

  /** Stops waiting. What is being submitted is not cut off: its job must not get lost. */
  leave(): void {
    this.#isLeft = true
    this.#isOver = true
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    for (const leave of this.#waits) leave()
    // Not awaited: a source that hangs must not hold the loop.
    Promise.resolve(this.#source.return?.()).catch(() => {})
  }

  readonly #onAbort = (): void => {
    const message = 'The runs were aborted. No further one begins; `onProgress` told the jobs of those that had begun.'
    this.#fail(new AbortedError({ message, cause: this.#options.signal?.reason, submission: 'not_sent' }))
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#isOver = true
    this.#news.push(undefined)
  }

  async #take(): Promise<void> {
    this.#isTaking = true
    try {
      const { done, value } = await this.#source.next()
      if (done) this.#isOver = true
      else if (!this.#isOver) this.#begin(value)
    } catch (error) {
      this.#fail(error)
    }
    this.#isTaking = false
    this.#news.push(undefined)
  }

  #begin(input: I): void {
    this.#size++
    const index = this.#started++
    const known = this.#options.resume?.get(index)
    if (known !== undefined) void this.#settle({ index, input, known })
    else {
      const run = { model: this.#model, input }
      void inRunSpan(this.#core, run, (span) => this.#settle({ index, input, span }))
    }
  }

  async #settle({ index, input, known, span }: PoolRun<I>): Promise<void> {
    let job: JobHandle | undefined
    const end = (outcome: Outcome) => {
      if (span !== undefined) endRunSpan(span, outcome)
      this.#settled++
      this.#tell(index, outcome.status, job)
      this.#news.push({ index, input, job_id: job?.id, ...outcome })
    }
    try {
      const call = { model: this.#model, input, options: this.#options }
      job = known === undefined ? (await submitRun(this.#core, call)).data : jobHandleOf(this.#core, known)
      this.#tell(index, 'submitted', job)
      if (this.#isLeft) span?.abandon()
      else this.#wait(job, { end, span })
    } catch (reason) {
      end({ status: 'rejected', reason: showCaller(reason, this.#caller) })
    }
  }

  #wait(job: JobHandle, { end, span }: { end: (outcome: Outcome) => void; span: SafeSpan | undefined }): void {
    const done = (outcome: Outcome) => {
      this.#waits.delete(leave)
      end(outcome)
    }
    const leave = startWait(
      { ...job.waitRequest(this.#options), webhook: this.#options.webhook, span },
      (value) => done({ status: 'fulfilled', value }),
      (reason) => done({ status: 'rejected', reason: showCaller(reason, this.#caller) }),
    )
    this.#waits.add(leave)
  }

  /** An error of the caller's function ends the loop, not the run; so does a promise of it that rejects. */
  #tell(index: number, step: RunManyProgress['step'], job: JobHandle | undefined): void {
    try {
      const [started, settled] = [this.#started, this.#settled]
      const noted = this.#options.onProgress?.({ index, step, job_id: job?.id, started, settled })
      Promise.resolve(noted).catch((error) => this.#fail(error))
    } catch (error) {
      this.#fail(error)
    }
  }
}
