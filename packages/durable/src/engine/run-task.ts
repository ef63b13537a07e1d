import { endOfFailure, type RetryLimits } from 'modelrun/webhooks'
import type { Json, Task, TaskHandler } from './engine.ts'
import type { LockedTask, TaskEnd } from './task-table.ts'

/** One run of a task. */
export class TaskRun {
  readonly task: Task
  readonly fence: number
  readonly #controller = new AbortController()
  #lockedUntil: number

  /** @param lockedUntil by `performance.now()`, counted from before the request for the lock */
  constructor({ id, data, attempts, lost, fence }: LockedTask, lockedUntil: number) {
    this.fence = fence
    this.#lockedUntil = lockedUntil
    const { signal } = this.#controller
    this.task = { id, data, lost, fence, attempt: attempts + 1, signal, msLeft: () => this.msLeft() }
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
