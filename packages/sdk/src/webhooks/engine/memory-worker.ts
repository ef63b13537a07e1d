import { ConfigurationError } from '@modelrun/kit'
import { createRateLimit, type RateLimit } from '../../shared/backoff.ts'
import { type Clock, startTimer } from '../../shared/clock.ts'
import type { Json, TaskHandler, TaskRecord, TaskState, WorkOptions } from './inbox-engine.ts'
import { endOfFailure, RunTimeout } from './task-ends.ts'

/** A task in memory. */
export interface MemoryTask {
  id: string
  state: TaskState
  /** JSON, as in a database, so that the caller cannot change it. */
  data: string
  result?: Json | undefined
  error?: TaskRecord['error']
  addedAt: number
  endedAt?: number | undefined
  place: number
  attempts: number
  fence: number
  stopTimer(): void
}

/** When a task runs again. */
export interface Postponement {
  delayMs: number
  isFailure: boolean
  pausesQueue: boolean
}

/** The queue of a worker. */
export interface TaskSource {
  take(): MemoryTask | undefined
  postpone(task: MemoryTask, postponement: Postponement): void
  end(task: MemoryTask, end: Pick<MemoryTask, 'state' | 'result' | 'error'>): void
}

/** A worker of one queue in memory. */
export class MemoryWorker {
  readonly #queue: TaskSource
  readonly #handler: TaskHandler
  readonly #options: WorkOptions & { clock: Clock }
  readonly #rate: RateLimit | undefined
  readonly #running = new Set<Promise<void>>()
  #stopTimer = () => {}
  #isStopped = false

  constructor(queue: TaskSource, handler: TaskHandler, options: WorkOptions & { clock: Clock }) {
    this.#queue = queue
    this.#handler = handler
    this.#options = options
    this.#rate = options.rate && createRateLimit(perSecond(options.rate))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopTimer()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** Starts due tasks, up to `concurrency` and within the rate limit. */
  fill(): void {
    const { concurrency = 10, clock } = this.#options
    while (!this.#isStopped && this.#running.size < concurrency) {
      const waitMs = (this.#rate?.nextAt() ?? 0) - clock.now()
      if (waitMs > 0) {
        this.#stopTimer()
        this.#stopTimer = startTimer(clock, waitMs, () => this.fill())
        return
      }
      const task = this.#queue.take()
      if (task === undefined) return
      this.#rate?.take(clock.now())
      const run = this.#run(task).finally(() => {
        this.#running.delete(run)
        this.fill()
      })
      this.#running.add(run)
    }
  }

  async #run(task: MemoryTask): Promise<void> {
    const { clock, maxRunMs = 600_000, attempts = 8, backoffMs = 1_000 } = this.#options
    const controller = new AbortController()
    const { signal } = controller
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    const stopTimer = startTimer(clock, maxRunMs, () => controller.abort(new RunTimeout(maxRunMs)))
    const { id, fence, data } = task
    const attempt = task.attempts + 1
    const markStarted = async () => !signal.aborted
    const given = { id, data: JSON.parse(data), attempt, fence, signal, lost: 0, msLeft: () => maxRunMs, markStarted }
    try {
      // In a callback, to catch what the handler throws before its first `await`, too.
      const result = await Promise.race([Promise.resolve().then(() => this.#handler(given)), aborted])
      this.#queue.end(task, { state: 'done', result: copyOf(result) })
    } catch (error) {
      const end = endOfFailure(error, attempt, { attempts, backoffMs })
      if (end.kind === 'dead') this.#queue.end(task, { state: 'dead', error: end.error })
      else {
        const pausesQueue = end.kind === 'again' && end.pausesQueue
        this.#queue.postpone(task, { delayMs: end.delayMs, isFailure: end.kind === 'failed', pausesQueue })
      }
    } finally {
      stopTimer()
    }
  }
}

function perSecond({ max, perMs }: { max: number; perMs: number }): number {
  if (!(max > 0 && perMs > 0)) throw new ConfigurationError({ message: 'A rate is above 0.' })
  return (max * 1_000) / perMs
}

function copyOf(result: Json | undefined): Json | undefined {
  return result === undefined ? undefined : JSON.parse(JSON.stringify(result))
}
