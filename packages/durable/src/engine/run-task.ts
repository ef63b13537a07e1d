import { endOfFailure, type RetryLimits } from 'modelrun/webhooks'
import type { Json, Task, TaskHandler } from './engine.ts'
import type { LockedTask, TaskEnd } from './task-table.ts'

/** One run of a task. */
export class TaskRun {
  readonly task: Task
  readonly fence: number
  /** Number of marks that are being stored. */
  marking = 0
  /** Its lock was not renewed in time, because a mark was being stored. */
  isRenewalDue = false
  readonly #controller = new AbortController()
  #lockedUntil: number

  /** @param lockedUntil by `performance.now()`, counted from before the request for the lock */
  constructor(locked: LockedTask, lockedUntil: number, markStarted: (run: TaskRun) => Promise<boolean>) {
    const { id, data, attempts, lost, fence } = locked
    this.fence = fence
    this.#lockedUntil = lockedUntil
    const { signal } = this.#controller
    const lock = { msLeft: () => this.msLeft(), markStarted: () => markStarted(this) }
    this.task = { id, data, lost, fence, attempt: attempts + 1, signal, ...lock }
  }

  /** Whether the lock holds and the handler may act, as far as this process knows. */
  get isHeld(): boolean {
    return this.msLeft() > 0 && !this.task.signal.aborted
  }

  msLeft(): number {
    return Math.max(0, this.#lockedUntil - performance.now())
  }

  renewed(lockedUntil: number): void {
    this.#lockedUntil = lockedUntil
  }

  /** Aborts the signal of the task. What the handler returns later does not count. */
  abort(reason: Error): void {
    this.#controller.abort(reason)
  }

  /** Runs the handler to its end, or until `abort`. */
  async run(handler: TaskHandler, limits: RetryLimits): Promise<TaskEnd> {
    const { task } = this
    const { signal } = task
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    try {
      // In a callback, to catch what the handler throws before its first `await`, too.
      const result = await Promise.race([Promise.resolve().then(() => handler(task)), aborted])
      return { kind: 'done', result: result as Json | undefined }
    } catch (error) {
      return endOfFailure(error, task.attempt, limits)
    }
  }
}
