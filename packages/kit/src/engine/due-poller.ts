import { type Clock, startTimer } from '../clock.ts'
import type { TaskTable } from './task-table.ts'

/** What the poller wakes. */
interface Wakeable {
  readonly queue: string
  /** The next task of its queue can be locked after this time, as far as the table knows. */
  dueIn(ms: number): void
}

/** What a poller reads. */
interface PollerContext {
  table: TaskTable
  clock: Clock
  pollMs: number
  onError(error: unknown): void
}

/** After this many polls without a notification, the table is asked for them again. */
const LISTEN_EVERY = 20

/**
 * Reads for all workers of an engine, with one statement, which queues have something due. Where the table notifies of new
 * tasks it polls half as often: a poll then only finds what is due later, or was never notified.
 */
export class DuePoller {
  readonly #context: PollerContext
  readonly #workers: ReadonlySet<Wakeable>
  #stopTimer = () => {}
  #unlisten: Promise<(() => Promise<void>) | undefined> = Promise.resolve(undefined)
  #isNotified = false
  #isStopped = true
  #isPolling = false
  #polls = 0

  constructor(workers: ReadonlySet<Wakeable>, context: PollerContext) {
    this.#workers = workers
    this.#context = context
  }

  start(): void {
    this.#isStopped = false
    this.#polls = 0
    this.#plan()
    this.#listen()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#isNotified = false
    this.#stopTimer()
    const unlisten = await this.#unlisten
    this.#unlisten = Promise.resolve(undefined)
    await unlisten?.()
  }

  #listen(): void {
    const { table, onError } = this.#context
    const onNotify = () => {
      this.#isNotified = true
      void this.#poll()
    }
    const onEnd = () => {
      this.#isNotified = false
    }
    this.#unlisten = (async () => {
      await (await this.#unlisten)?.()
      if (this.#isStopped) return undefined
      const unlisten = await table.listen?.(onNotify, onEnd)
      // A notification that arrives proves that they do: behind some proxies none does.
      if (unlisten !== undefined) table.notify?.()
      return unlisten
    })().catch((error) => {
      onError(error)
      return undefined
    })
  }

  #plan(): void {
    const { clock, pollMs } = this.#context
    this.#stopTimer()
    if (!this.#isStopped)
      this.#stopTimer = startTimer(clock, this.#isNotified ? 2 * pollMs : pollMs, () => void this.#poll())
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#isStopped) return
    this.#isPolling = true
    this.#stopTimer()
    const { table, onError } = this.#context
    this.#polls += 1
    if (!this.#isNotified && this.#polls % LISTEN_EVERY === 0) this.#listen()
    try {
      const due = await table.nextDue?.([...new Set(Array.from(this.#workers, ({ queue }) => queue))])
      for (const worker of this.#workers) worker.dueIn(due?.get(worker.queue) ?? Number.POSITIVE_INFINITY)
    } catch (error) {
      onError(error)
    }
    this.#isPolling = false
    this.#plan()
  }
}
