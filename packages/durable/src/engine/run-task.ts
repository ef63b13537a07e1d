import { endOfFailure, type RetryLimits } from 'modelrun/webhooks'
import type { Json, Task, TaskHandler } from './engine.ts'
import type { LockedTask, TaskEnd } from './task-table.ts'

/** A task while its handler runs. */
export class TaskRun {
  readonly task: Task
  readonly fence: number
  readonly #controller = new AbortController()
  #lockedUntil: number

  /** @param lockedUntil on the clock of `performance.now()`, reckoned from before the lock was asked for */
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

  /** What the handler does from now on does not count. */
  abort(reason: Error): void {
    this.#controller.abort(reason)
  }

  /** Runs the handler to its end, or until the task is taken from it. */
  async run(handler: TaskHandler, limits: RetryLimits): Promise<TaskEnd> {
    const { task } = this
    const { signal } = task
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    try {
      // In a callback: what the handler throws before its first `await` counts as well.
      const result = await Promise.race([Promise.resolve().then(() => handler(task)), aborted])
      return { kind: 'done', result: result as Json | undefined }
    } catch (error) {
      return endOfFailure(error, task.attempt, limits)
    }
  }
}
