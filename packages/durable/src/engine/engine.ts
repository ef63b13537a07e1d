import type { InboxEngine, OnceOptions, OnceResult, TaskHandler, TaskRecord, TaskState } from '@modelrun/kit'

/** Identifies a task. */
export interface TaskName {
  readonly queue: string
  readonly id: string
}

/** A task that a change is about: it is the one that was added then, and was not locked again after this fence. */
export interface Guard extends TaskName {
  readonly addedAt?: number | undefined
  readonly fence?: number | undefined
}

/** A durable queue. Batch runs and the inbox of `modelrun/webhooks` work on it. */
export interface Engine extends InboxEngine {
  /** Reads tasks of any queues, with one statement where the store can. `undefined` for each that does not exist. */
  getAll(tasks: readonly TaskName[]): Promise<(TaskRecord | undefined)[]>
  /**
   * Runs one task in this process, unless it is not due, is paused, or another process runs it. Resolves when its end is stored.
   * Rejects when the store failed before that.
   */
  once(queue: string, handler: TaskHandler, options: OnceOptions): Promise<OnceResult>
  /** Lets the workers of other processes look for new tasks at once. Missing where they find them by polls alone. */
  notify?: (() => void) | undefined
  /** Counts the tasks of a queue by state. */
  count(queue: string): Promise<Readonly<Record<TaskState, number>>>
  /**
   * Starts no further task of a queue, in all processes, until `resume`. Other processes notice it within `pollMs`. Running tasks
   * end as they would.
   */
  pause(queue: string): Promise<void>
  /** Ends the pause of a queue, also that of a handler that threw `PauseQueue`. */
  resume(queue: string): Promise<void>
  /** Whether the queue is paused, by `pause` or by a handler that threw `PauseQueue`. */
  isPaused(queue: string): Promise<boolean>
  /**
   * Returns the milliseconds until the next task of a queue is due, whether it is paused or not: negative for how long the oldest
   * due task has waited for a worker, and `undefined` without open tasks. A running task is due when its lock ends.
   */
  msUntilDue(queue: string): Promise<number | undefined>
  /** Returns the value of a counter: the amounts of its parts. All processes share it. */
  total(name: string): Promise<number>
  /**
   * Adds an amount to a counter once for each `part`, unless its value would exceed the limit. A repeated call changes nothing:
   * after a response that was lost, call it again.
   *
   * @returns whether the part is counted
   */
  reserve(name: string, part: string, request: { amount: number; limit?: number | undefined }): Promise<boolean>
  /** Takes the amount of a part off its counter. A repeated call changes nothing. */
  release(name: string, part: string): Promise<void>
  /** Returns the engine with changes that do nothing once this task was removed, added again, or locked again. */
  guardedBy(guard: Guard): Engine
  /** Stops all workers, and closes connections and files of the engine. What the store did not take until then is given up. */
  close(): Promise<void>
  /** Aborts once the engine is closed, or its store is lost for good. */
  readonly closed?: AbortSignal | undefined
}
