import type { InboxEngine, TaskState } from 'modelrun/webhooks'

export type {
  Json,
  Rate,
  Task,
  TaskFailure,
  TaskHandler,
  TaskList,
  TaskRecord,
  TaskState,
  Worker,
  WorkOptions,
} from 'modelrun/webhooks'

/**
 * A durable queue. Batch runs and the inbox of `modelrun/webhooks` work on it. `engineChecks` of `@modelrun/durable/testing`
 * checks an implementation.
 */
export interface Engine extends InboxEngine {
  /** Counts the tasks of a queue by state. */
  count(queue: string): Promise<Readonly<Record<TaskState, number>>>
  /**
   * Adds to a counter that all processes share, unless its value would exceed the limit.
   *
   * @returns the new value, or `undefined` when it would exceed the limit
   */
  tally(name: string, amount: number, limit?: number): Promise<number | undefined>
  /** Stops all workers, and closes connections and files of the engine. */
  close(): Promise<void>
}
