/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined }

/**
 * - `waiting`: runs when it is due
 * - `running`: a worker holds its lock
 * - `done`: its handler returned
 * - `dead`: its handler failed for good or too often, or its processes died too often
 */
export type TaskState = 'waiting' | 'running' | 'done' | 'dead'

/** A stored task. */
export interface TaskRecord {
  /** Unique within its queue. */
  readonly id: string
  /** Its current state. */
  readonly state: TaskState
  /** The data that it was added with. */
  readonly data: Json
  /** The value that its handler returned. Present when `done`. */
  readonly result?: Json | undefined
  /** Why it is dead. Present when `dead`. */
  readonly error?: TaskFailure | undefined
  /** When it was added: milliseconds since 1970. */
  readonly addedAt: number
  /** When its last run was marked as started: milliseconds since 1970. */
  readonly startedAt?: number | undefined
  /** When it became `done` or `dead`: milliseconds since 1970. */
  readonly endedAt?: number | undefined
  /** Position in the list; for `after` of the next page. */
  readonly cursor: string
}

/** The failure that made a task `dead`. */
export interface TaskFailure {
  /** For programs: the `code` of the error, `error` without one, or `process_died`. */
  readonly code: string
  /** For people. */
  readonly message: string
}

/** A task that its handler runs. */
export interface Task {
  /** Unique within its queue. */
  readonly id: string
  /** The data that it was added with. */
  readonly data: Json
  /** Number of this attempt, from 1. Attempts that ended with {@link RetryAfterError} do not count. */
  readonly attempt: number
  /** How often a process died, or lost its lock, after it had marked a run of this task as started. */
  readonly lost: number
  /** Increases with each run of the task. A store that remembers the highest fence can reject a late handler. */
  readonly fence: number
  /** When it was added: milliseconds since 1970. Not in memory. */
  readonly addedAt?: number | undefined
  /** Aborts when the lock is lost, or after `maxRunMs`. What the handler returns later does not count. */
  readonly signal: AbortSignal
  /** Milliseconds until the lock ends. */
  msLeft(): number
  /**
   * Stores that this run may have effects from now on. If its process dies or loses the lock after this, the next run has a
   * higher `lost`; before this, the task runs again as if nothing had happened. Repeats while the store fails, until the lock
   * ends. Never rejects, and may be called again.
   *
   * @returns true when the mark is stored and the lock is still held; after false the handler must not act
   */
  markStarted(): Promise<boolean>
  /** Calls back once the end of this run is stored. Not when it cannot be: then another worker runs the task. */
  afterEnd(notify: () => void): void
}

/**
 * Runs a task. Its return value is stored as the result. After an error the task runs again, except after a
 * {@link NonRetriableError}.
 */
export type TaskHandler = (task: Task) => Promise<Json | undefined>

/** A rate limit over all processes: at most `max` tasks start within any `perMs`. It is checked before a task is locked. */
export interface Rate {
  /** Number of tasks. */
  readonly max: number
  /** Length of the window, in milliseconds. */
  readonly perMs: number
}

/** Options of a worker. */
export interface WorkOptions {
  /** Maximum number of tasks that run at once in this process. Default 10. */
  concurrency?: number | undefined
  /** Duration of a lock, in milliseconds. It is renewed while the handler runs, and ends after its process has died. Default 30,000. */
  lockMs?: number | undefined
  /** Longest run of a handler, in milliseconds. A longer run has failed, and frees its place. Default 600,000. */
  maxRunMs?: number | undefined
  /** Number of failed attempts after which a task is dead. Default 8. */
  attempts?: number | undefined
  /** Wait after the first failure, in milliseconds. It doubles with each failure, up to 5 minutes. Default 1,000. */
  backoffMs?: number | undefined
  /** Rate limit of the queue. All workers of a queue need the same. Default: no limit. */
  rate?: Rate | undefined
  /**
   * Who calls `task.markStarted()`. `worker`: the worker, right before it calls the handler. `handler`: the handler, right before
   * its effects, so that a run that ended earlier does not count as lost. Default `worker`.
   */
  startMark?: 'worker' | 'handler' | undefined
  /** Called by the worker that makes a task dead because its processes died too often. */
  onProcessDied?: ((task: DiedTask) => void) | undefined
}

/** Options of a single run of one task. */
export interface OnceOptions extends WorkOptions {
  /** The task. */
  id: string
  /** Runs the task also before it is due. Default `false`. */
  isEarly?: boolean | undefined
  /** Runs the task also while its queue is paused: for what sends nothing. Default `false`. */
  ignoresPause?: boolean | undefined
}

/** The outcome for one task that was to run at once. */
export type OnceResult =
  /** It ran here. `delayMs`: until it runs again; undefined when it is done or dead. */
  | { readonly isRun: true; readonly delayMs: number | undefined }
  /** It could not be locked. `waitMs`: until it can be; 0 when it is done or dead, or became free meanwhile. */
  | { readonly isRun: false; readonly isRunning: boolean; readonly waitMs: number }

/** A task that is dead because its processes died too often. */
export interface DiedTask {
  /** Unique within its queue. */
  readonly id: string
  /** The data that it was added with. */
  readonly data: Json
  /** Runs of the handler, including the runs whose process died. */
  readonly runs: number
}

/** A worker of a queue in this process. */
export interface Worker {
  /** Starts no further task, and resolves when the running tasks have ended. */
  stop(): Promise<void>
}

/** A page of a list. */
export interface TaskList {
  /** Default 100. */
  limit?: number | undefined
  /** The `cursor` of the last task that was read. Default: from the start. */
  after?: string | undefined
}

/**
 * The part of a durable queue that an inbox needs. The engines of `@modelrun/durable` implement it; without an engine the inbox
 * stores its tasks in memory. A task is identified by its queue and id, and is stored until it is removed.
 */
export interface InboxEngine {
  /** Creates tables or checks settings. Safe to repeat, and from many processes at once. */
  setup(): Promise<void>
  /** Adds a task. Changes nothing when the queue has a task with this id in any state. Resolves when the task is durable. */
  add(queue: string, id: string, options: { data: Json; delayMs?: number | undefined }): Promise<void>
  /**
   * Replaces the data of a task in any state, and makes the task due if it waits. A run that continues keeps the data that it
   * started with. Resolves to whether the queue has the task.
   */
  update(queue: string, id: string, data: Json): Promise<boolean>
  /** Starts a worker of a queue in this process. */
  work(queue: string, handler: TaskHandler, options?: WorkOptions): Worker
  /** Returns a task in any state; `undefined` when the queue does not have the id. */
  get(queue: string, id: string): Promise<TaskRecord | undefined>
  /** Lists the tasks of a state: `done` and `dead` in the order of their ends, others in the order in which they were added. */
  list(queue: string, state: TaskState, list?: TaskList): Promise<TaskRecord[]>
  /** Makes a dead task wait again, with all of its attempts. Resolves to whether the task was dead. */
  replay(queue: string, id: string): Promise<boolean>
  /** Removes a task that does not run, so that its id can be added again. Resolves to whether it was removed. */
  remove(queue: string, id: string): Promise<boolean>
}
