import { abortable, type Clock } from '../clock.ts'
import type { Task, TaskHandler } from './engine.ts'
import { endOfFailure, type RetryLimits, type TaskEnd } from './task-ends.ts'
import type { LockedTask } from './task-table.ts'

/** The lock of a task. */
export interface Lock {
  clock: Clock
  /** Counted from before the request for the lock. */
  until: number
}

/** One run of a task. */
export class TaskRun {
  readonly task: Task
  readonly fence: number
  /** Number of marks that are being stored. */
  marking = 0
  /** Its lock was not renewed in time, because a mark was being stored. */
  isRenewalDue = false
  readonly #controller = new AbortController()
  readonly #lock: Lock

  constructor(locked: LockedTask, lock: Lock, markStarted: (run: TaskRun) => Promise<boolean>) {
    const { id, data, attempts, lost, fence } = locked
    this.fence = fence
    this.#lock = { ...lock }
    const { signal } = this.#controller
    const attempt = attempts + 1
    this.task = {
      ...{ id, data, lost, fence, attempt, signal },
      msLeft: () => this.msLeft(),
      markStarted: () => markStarted(this),
    }
  }

  /** Whether the lock holds and the handler may act, as far as this process knows. */
  get isHeld(): boolean {
    return this.msLeft() > 0 && !this.task.signal.aborted
  }

  msLeft(): number {
    return Math.max(0, this.#lock.until - this.#lock.clock.now())
  }

  renewed(until: number): void {
    this.#lock.until = until
  }

  /** Aborts the signal of the task. What the handler returns later does not count. */
  abort(reason: Error): void {
    this.#controller.abort(reason)
  }

  /** Runs the handler to its end, or until `abort`. */
  async run(handler: TaskHandler, limits: RetryLimits): Promise<TaskEnd> {
    const { task } = this
    try {
      // In a function, to catch what the handler throws before its first `await`, too.
      const result = await abortable((async () => handler(task))(), task.signal)
      return { kind: 'done', result: JSON.stringify(result) }
    } catch (error) {
      return endOfFailure(error, task.attempt, limits)
    }
  }
}
