import { ModelRunError } from '@modelrun/kit'
import type { ModelRun } from '../client/client.ts'
import { JobCancelledError, JobFailedError } from '../client/errors/job-errors.ts'
import { ConnectionError } from '../client/errors/transport-errors.ts'
import type { JobHandle } from '../client/job-handle.ts'
import { wallNow } from '../shared/clock.ts'
import { cancelled, ended, IDLE, type RunProgress, type RunState, running, succeeded } from './run-state.ts'
import type { RunMemory } from './saved-run.ts'

/** A run that the user asked for, and that is sent once. */
interface Intent {
  startedAt: number
  job: JobHandle | undefined
  isCancelling: boolean
  /** Ends the wait for the job. Undefined while nothing waits. */
  wait: AbortController | undefined
}

/** The run of one key in a page. It outlives the components that show it. */
export class PageRun {
  readonly #client: ModelRun
  readonly #memory: RunMemory
  readonly #listeners = new Set<() => void>()
  #state = IDLE
  #isLoaded = false
  /** Replaced by another run or a reset: what still comes for the former one is ignored. */
  #current: Intent | undefined

  constructor(client: ModelRun, memory: RunMemory) {
    this.#client = client
    this.#memory = memory
  }

  get state(): RunState {
    return this.#state
  }

  /** The job is polled while there is a listener. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    this.#load()
    const intent = this.#current
    if (intent?.job && this.#state.status === 'unknown') this.#show(intent, 'resuming')
    if (intent) void this.#follow(intent)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) pause(this.#current)
    }
  }

  /** Does nothing while a run is under way: a double click is one run. */
  start(model: string, input: object): void {
    this.#load()
    if (this.#state.status === 'running') return
    const intent = newIntent(wallNow(this.#client.clock))
    this.#current = intent
    this.#memory.write({ startedAt: intent.startedAt })
    this.#show(intent, 'sending')
    void this.#send(intent, model, input)
  }

  cancel(): void {
    const intent = this.#current
    if (intent === undefined || this.#state.status !== 'running' || intent.isCancelling) return
    intent.isCancelling = true
    this.#show(intent, this.#state.progress.status)
    void this.#stop(intent)
  }

  reset(): void {
    this.#isLoaded = true
    pause(this.#current)
    this.#current = undefined
    this.#memory.write(undefined)
    this.#set(IDLE)
  }

  /** Finds what an earlier load of the page has started. */
  #load(): void {
    if (this.#isLoaded) return
    this.#isLoaded = true
    const saved = this.#memory.read()
    if (saved === undefined) return
    const intent = newIntent(saved.startedAt)
    intent.job = saved.job && this.#client.jobs.attach(saved.job)
    this.#current = intent
    if (intent.job === undefined) this.#end(intent, ended('unknown', leftTooEarly()))
    else this.#show(intent, 'resuming')
  }

  async #send(intent: Intent, model: string, input: object): Promise<void> {
    try {
      intent.job = await this.#client.submit(model, input)
    } catch (error) {
      if (intent.isCancelling && error instanceof ModelRunError) this.#cancelInBackground(error.jobId)
      return this.#end(intent, stateOf(error))
    }
    if (intent !== this.#current) {
      // It was cancelled before it had an id, and reset after that.
      if (intent.isCancelling) this.#cancelInBackground(intent.job.id)
      return
    }
    this.#memory.write({ startedAt: intent.startedAt, job: intent.job.toJSON() })
    this.#show(intent, 'queued')
    await (intent.isCancelling ? this.#stop(intent) : this.#follow(intent))
  }

  async #follow(intent: Intent): Promise<void> {
    const { job } = intent
    const isWanted = intent === this.#current && this.#state.status === 'running' && this.#listeners.size > 0
    if (job === undefined || intent.wait !== undefined || !isWanted) return
    const wait = new AbortController()
    intent.wait = wait
    const onStatus = ({ status }: { status: string }) => this.#show(intent, status)
    try {
      const result = await job.result({ signal: wait.signal, deadlineMs: Number.POSITIVE_INFINITY, onStatus })
      this.#end(intent, succeeded(result))
    } catch (error) {
      if (!wait.signal.aborted) this.#end(intent, stateOf(error))
    }
    if (intent.wait === wait) intent.wait = undefined
  }

  /** Cancels the job. One that has ended, or cannot be cancelled now, is followed on. */
  async #stop(intent: Intent): Promise<void> {
    if (intent.job === undefined) return
    await intent.job.cancel().catch(() => {})
    intent.isCancelling = false
    pause(intent)
    // A handle that did not start the job polls at once.
    intent.job = this.#client.jobs.attach(intent.job.toJSON())
    await this.#follow(intent)
  }

  #cancelInBackground(jobId: string | undefined): void {
    if (jobId !== undefined) this.#client.jobs.cancel(jobId).catch(() => {})
  }

  #show(intent: Intent, status: RunProgress['status']): void {
    if (intent !== this.#current) return
    const { startedAt, job, isCancelling } = intent
    this.#set(running({ status, jobId: job?.id, startedAt, isCancelling }))
  }

  #end(intent: Intent, state: RunState): void {
    if (intent !== this.#current) return
    // With a job, or without a known outcome, the page is to show the same after it was loaded again.
    if (intent.job === undefined && state.status === 'failed') this.#memory.write(undefined)
    this.#set(state)
  }

  #set(state: RunState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

function newIntent(startedAt: number): Intent {
  return { startedAt, job: undefined, isCancelling: false, wait: undefined }
}

function pause(intent: Intent | undefined): void {
  intent?.wait?.abort()
  if (intent) intent.wait = undefined
}

/** The state after an error. What is not certainly free counts as unknown. */
function stateOf(error: unknown): RunState {
  if (error instanceof JobCancelledError) return cancelled()
  const isOver = error instanceof JobFailedError
  const isFree = error instanceof ModelRunError && ['not_sent', 'rejected'].includes(error.submission)
  return ended(isOver || isFree ? 'failed' : 'unknown', error instanceof Error ? error : new Error(String(error)))
}

function leftTooEarly(): Error {
  const message =
    'The page was left before the response to its run. The run may have been accepted and charged, so it was not sent again.'
  return new ConnectionError({ message, submission: 'unknown' })
}
