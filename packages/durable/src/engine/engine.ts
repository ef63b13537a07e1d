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
 * A durable queue: what batch runs and the inbox of `modelrun/webhooks` are built on. `engineChecks` of
 * `@modelrun/durable/testing` says what an implementation has to do.
 */
export interface Engine extends InboxEngine {
  /** How many tasks are in each state. */
  count(queue: string): Promise<Readonly<Record<TaskState, number>>>
  /**
   * Adds to a counter that all processes share, unless it would pass the limit.
   *
   * @returns the new value, or `undefined` when the limit forbids it
   */
  tally(name: string, amount: number, limit?: number): Promise<number | undefined>
  /** Stops all workers, and frees what the engine holds. */
  close(): Promise<void>
}
