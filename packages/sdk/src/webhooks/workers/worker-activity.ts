import type { Json, Task, TaskHandler } from '@modelrun/kit'
import { RetryAfterError } from '@modelrun/kit'
import { type Clock, sleep } from '../../shared/clock.ts'
import { EngineError } from '../queues.ts'

const CHECK_MS = 100
const OUTAGE_MS = 2_000

/** Counts the tasks that run in this process, and lets a caller wait for them. */
export class WorkerActivity {
  readonly #clock: Clock
  readonly #waits = new Map<string, Set<() => void>>()
  #running = 0
  #lastEndAt = 0
  /** Tasks that ran in this process. */
  worked = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns a handler whose runs are counted. */
  counted(work: (task: Task) => Promise<Json | undefined>): TaskHandler {
    return async (task) => {
      this.#running += 1
      try {
        return await work(task)
      } catch (error) {
        // An outage of the database is not a failed attempt of the task.
        throw error instanceof EngineError ? new RetryAfterError(OUTAGE_MS) : error
      } finally {
        this.#running -= 1
        this.worked += 1
        this.#lastEndAt = this.#clock.now()
        for (const resolve of this.#waits.get(task.id) ?? []) resolve()
      }
    }
  }

  /** Resolves when no task has run for `idleMs`, or after `forMs`. */
  async untilIdle({ idleMs, forMs }: { idleMs: number; forMs: number }, signal: AbortSignal): Promise<void> {
    const startedAt = this.#clock.now()
    const isIdle = () => {
      const idleSince = Math.max(startedAt, this.#lastEndAt)
      return this.#running === 0 && this.#clock.now() - idleSince >= idleMs
    }
    while (this.#clock.now() - startedAt < forMs && !isIdle() && !signal.aborted) {
      await sleep(this.#clock, CHECK_MS, signal).catch(() => {})
    }
  }

  /** Waits for the end of the next run of a task in this process. */
  waitFor(taskId: string): { worked: Promise<void>; stop(): void } {
    const waits = this.#waits.get(taskId) ?? new Set()
    let stop = () => {}
    const worked = new Promise<void>((resolve) => {
      this.#waits.set(taskId, waits.add(resolve))
      stop = () => {
        waits.delete(resolve)
        if (waits.size === 0 && this.#waits.get(taskId) === waits) this.#waits.delete(taskId)
      }
    })
    return { worked, stop }
  }
}
