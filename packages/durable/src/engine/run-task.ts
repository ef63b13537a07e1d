import type { Json, Task, TaskHandler } from './engine.ts'
import { taskEndOf } from './task-ends.ts'
import type { LockedTask, TaskEnd } from './task-table.ts'

/** When failed tasks run again, and when they do not. */
export interface RetryLimits {
  attempts: number
  backoffMs: number
}

const LONGEST_BACKOFF_MS = 300_000
const LONGEST_MESSAGE = 2_000

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
      return endOf(error, task.attempt, limits)
    }
  }
}

function endOf(error: unknown, attempt: number, { attempts, backoffMs }: RetryLimits): TaskEnd {
  const end = taskEndOf(error)
  if (end === 'again' || end === 'pause') {
    return { kind: 'again', delayMs: Math.max(0, Object(error).delayMs), pausesQueue: end === 'pause' }
  }
  if (end === 'permanent' || attempt >= attempts) return { kind: 'dead', error: failureOf(error) }
  const longest = Math.min(LONGEST_BACKOFF_MS, backoffMs * 2 ** (attempt - 1))
  return { kind: 'failed', delayMs: longest * (0.5 + Math.random() / 2) }
}

function failureOf(error: unknown): { code: string; message: string } {
  const { code, message = String(error) } = Object(error) as { code?: unknown; message?: unknown }
  return { code: typeof code === 'string' ? code : 'error', message: String(message).slice(0, LONGEST_MESSAGE) }
}
