import type { InboxEngine, TaskState } from '@modelrun/kit'

export type {
  Json,
  Rate,
  Task,
  TaskFailure,
  TaskHandler,
  TaskRecord,
  TaskState,
  Worker,
  WorkOptions,
} from '@modelrun/kit'

/** A durable queue. Batch runs and the inbox of `modelrun/webhooks` work on it. */
export interface Engine extends InboxEngine {
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
  /** Returns how long the oldest due task of a queue has waited for a worker, in milliseconds; 0 when none is due. */
  oldestDueMs(queue: string): Promise<number>
  /**
   * Adds to a counter that all processes share, unless its value would exceed the limit.
   *
   * @returns the new value, or `undefined` when it would exceed the limit
   */
  tally(name: string, amount: number, limit?: number): Promise<number | undefined>
  /**
   * Adds an amount to a counter once for each `part`, unless its value would exceed the limit. A repeated call changes nothing:
   * after a response that was lost, call it again.
   *
   * @returns whether the part is counted
   */
  reserve(name: string, part: string, request: { amount: number; limit?: number | undefined }): Promise<boolean>
  /** Takes the amount of a part off its counter. A repeated call changes nothing. */
  release(name: string, part: string): Promise<void>
  /** Stops all workers, and closes connections and files of the engine. */
  close(): Promise<void>
}
