import { ConfigurationError, ModelRunError, stringIn } from '@modelrun/kit'
import { createAsyncQueue } from '../../shared/async-queue.ts'
import { type SentRequests, withRequests } from '../../shared/clock.ts'
import type { Core } from '../core.ts'
import { AbortedError, HookError } from '../errors/transport-errors.ts'
import { DEFAULT_DEADLINE_MS, type JobHandle, type JobSource } from '../job-handle.ts'
import { type ClientJob, clientJobOf } from '../jobs/jobs-resource.ts'
import { MAX_ATTEMPTS } from '../jobs/polling/polled-jobs.ts'
import type { RunResult } from '../jobs/run-result.ts'
import { startWait, type WaitRequest } from '../jobs/wait-for-job.ts'
import { textOf } from '../observe/logger.ts'
import { listenTo } from './receiver-calls.ts'
import type { RunManyCall, RunManyOptions, RunManyProgress, SettledRun } from './run-many-options.ts'
import { submitRun } from './run-model.ts'
import { checkInput } from './run-operation.ts'

/** Runs a model on many inputs and yields each run as it ends. */
export async function* runMany<I extends object>(
  core: Core,
  call: RunManyCall<I>,
): AsyncGenerator<SettledRun<I>, void, undefined> {
  checkResume(call)
  const pool = new RunPool(core, call)
  try {
    for (let run = await pool.next(); run; run = await pool.next()) yield run
  } finally {
    pool.leave()
  }
}

/**
 * An index without an input is that of another list: the runs of this one would be sent, and paid, again. A job is the run of one input.
 */
function checkResume<I extends object>({ inputs, options: { resume } }: RunManyCall<I>): void {
  if (!(resume instanceof Map)) return
  const jobs = new Set<unknown>()
  for (const [index, job] of resume) {
    const id = stringIn(job, 'job_id') ?? stringIn(job, 'id') ?? job
    const isBeyond = Array.isArray(inputs) && Number(index) >= inputs.length
    const problem = isBeyond ? `and there are ${inputs.length} inputs` : 'which is that of an earlier index'
    const message = `\`resume\` has a job for the index ${index}, ${problem}. Nothing was sent.`
    if (isBeyond || (id && jobs.has(id))) throw new ConfigurationError({ message })
    jobs.add(id)
  }
}

type RunEnd = { status: 'fulfilled'; value: RunResult } | { status: 'rejected'; reason: unknown }

interface PoolRun<I> {
  index: number
  input: I
  known: JobSource | undefined
  job?: ClientJob
}

/** The cause of the error of a run whose loop was left. No caller gets that error. */
const LEFT = /* @__PURE__ */ Symbol('left')

/** The runs that are under way or whose result waits to be taken. An input is taken when a place is free. */
class RunPool<I extends object> {
  readonly #core: Core
  readonly #model: string
  readonly #options: RunManyOptions
  readonly #concurrency: number
  readonly #source: Iterator<I> | AsyncIterator<I>
  /** The runs that ended. `undefined` wakes `next` up after any other change. */
  readonly #settledRuns = createAsyncQueue<SettledRun<I> | undefined>()
  readonly #waits = new Set<() => void>()
  readonly #jobIds = new Set<string>()
  /** The last requests that started jobs. */
  #sent: SentRequests = { attempts: [], requestId: undefined }
  #isTaking = false
  #isLeft = false
  /** True when no further run starts. */
  #isOver = false
  /** The error that the loop throws when the runs under way have ended. */
  #failure: { error: unknown } | undefined
  #size = 0
  #started = 0
  #settled = 0

  constructor(core: Core, { model, inputs, options }: RunManyCall<I>) {
    this.#core = core
    this.#model = model
    this.#options = options
    this.#concurrency = options.concurrency ?? 8
    this.#source = Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]()
    if (options.signal?.aborted) this.#onAbort()
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** The next run that ends; undefined after the last one. @throws The error that ended the loop, after the runs under way */
  async next(): Promise<SettledRun<I> | undefined> {
    for (;;) {
      if (!this.#isOver && !this.#isTaking && this.#size < this.#concurrency) void this.#take()
      if (this.#isOver && this.#size === 0) break
      const settled = await this.#settledRuns.next()
      if (settled === undefined) continue
      this.#size--
      return settled
    }
    if (this.#failure) throw withRequests(nameJobs(this.#failure.error, this.#jobIds), this.#sent)
    return undefined
  }

  /** Stops waiting. A run that is being submitted is not cut off: its job must not get lost. */
  leave(): void {
    this.#isLeft = true
    this.#isOver = true
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    for (const leave of this.#waits) leave()
    // Not awaited: a source that hangs must not hold the loop. Its error comes after the end.
    const leaveSource = async () => await this.#source.return?.()
    leaveSource().catch(() => {})
  }

  readonly #onAbort = (): void => {
    const message = 'The runs were aborted. No further run starts; `onProgress` reported the jobs of the started runs.'
    // It is about all runs: those that were started may be charged.
    const submission = this.#started === 0 ? 'not_sent' : 'unknown'
    this.#fail(new AbortedError({ message, cause: this.#options.signal?.reason, submission }))
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#isOver = true
    this.#settledRuns.push(undefined)
  }

  async #take(): Promise<void> {
    this.#isTaking = true
    try {
      const { done, value } = await this.#source.next()
      if (done) this.#isOver = true
      else if (!this.#isOver) this.#start(value)
    } catch (error) {
      this.#fail(error)
    }
    this.#isTaking = false
    this.#settledRuns.push(undefined)
  }

  /** @throws What `resume` throws: a run whose job may exist is not sent, and ends the loop */
  #start(input: I): void {
    const index = this.#started
    const known = this.#resumed(index)
    this.#started++
    this.#size++
    void this.#settle({ index, input, known })
  }

  #resumed(index: number): JobSource | undefined {
    try {
      // JSON has text keys only.
      const { resume } = this.#options
      return resume?.get(index) ?? resume?.get(String(index))
    } catch (cause) {
      const message = `\`resume.get(${index})\` failed: ${textOf(cause)}. The run of this input was not sent: it may have a job.`
      throw new HookError({ message, cause, submission: 'not_sent' })
    }
  }

  /** Never rejects. */
  async #settle(run: PoolRun<I>): Promise<void> {
    const { index, input, known } = run
    const operation = known === undefined ? 'run' : 'wait'
    let outcome: RunEnd
    try {
      const value = await this.#core.traceCall({ operation, model: this.#model }, () => this.#runToEnd(run))
      outcome = { status: 'fulfilled', value }
    } catch (reason) {
      if (reason instanceof AbortedError && reason.cause === LEFT) return
      outcome = { status: 'rejected', reason: reason }
    }
    this.#settled++
    if (outcome.status === 'fulfilled' && run.job) this.#jobIds.delete(run.job.id)
    this.#report(index, outcome.status, run.job)
    this.#settledRuns.push({ index, input, job_id: run.job?.id, ...outcome })
  }

  async #runToEnd(run: PoolRun<I>): Promise<RunResult> {
    const { index, input, known } = run
    const deadlineMs = this.#options.deadlineMs ?? DEFAULT_DEADLINE_MS
    // Counts from before the run is submitted, as that of `client.run`.
    const endsAt = this.#core.options.clock.now() + deadlineMs
    const submit = async () => {
      const call = { model: this.#model, input: checkInput(input), options: this.#options }
      const { data, attempts, requestId } = await submitRun(this.#core, call, deadlineMs)
      this.#sent = { attempts: [...this.#sent.attempts, ...attempts].slice(-MAX_ATTEMPTS), requestId }
      return data
    }
    const job = known === undefined ? await submit() : clientJobOf(this.#core, known)
    run.job = job
    this.#jobIds.add(job.id)
    this.#report(index, 'submitted', job)
    if (this.#isLeft) throw leftError(job)
    const { webhook } = this.#options
    const listen = webhook && listenTo(this.#core, webhook)
    return await this.#wait({ ...job.waitRequest(this.#options), endsAt, listen })
  }

  #wait(request: WaitRequest): Promise<RunResult> {
    let leave = () => {}
    const waiting = new Promise<RunResult>((resolve, reject) => {
      const stop = startWait(request, resolve, reject)
      leave = () => {
        stop()
        reject(leftError(request.job))
      }
    })
    this.#waits.add(leave)
    return waiting.finally(() => this.#waits.delete(leave))
  }

  /** An error of the caller's function, or a promise of it that rejects, ends the loop and not the run. */
  #report(index: number, step: RunManyProgress['step'], job: ClientJob | undefined): void {
    try {
      const [started, settled] = [this.#started, this.#settled]
      const noted = this.#options.onProgress?.({ index, step, job_id: job?.id, started, settled })
      Promise.resolve(noted).catch((error) => this.#fail(error))
    } catch (error) {
      this.#fail(error)
    }
  }
}

function leftError({ id: jobId }: JobHandle): AbortedError {
  return new AbortedError({
    message: `The loop was left before the job ${jobId} ended.`,
    cause: LEFT,
    jobId,
    submission: 'accepted',
  })
}

/** The error that ends the loop, with the jobs that may be charged. */
function nameJobs(error: unknown, jobIds: Iterable<string>): unknown {
  return error instanceof ModelRunError ? Object.assign(error, { jobIds: [...jobIds] }) : error
}
