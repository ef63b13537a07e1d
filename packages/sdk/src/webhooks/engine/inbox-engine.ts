/** What JSON can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined }

/**
 * - `waiting`: runs when it is due
 * - `running`: a worker has locked it
 * - `done`: its handler returned
 * - `dead`: it failed for good or too often, or its process died too often
 */
export type TaskState = 'waiting' | 'running' | 'done' | 'dead'

/** A task as the engine keeps it. */
export interface TaskRecord {
  /** Unique within its queue. */
  readonly id: string
  /** Where it is between `add` and its end. */
  readonly state: TaskState
  /** What it was added with. */
  readonly data: Json
  /** What its handler returned. Present when `done`. */
  readonly result?: Json | undefined
  /** Why it died. Present when `dead`. */
  readonly error?: TaskFailure | undefined
  /** Milliseconds since 1970 when it was added. */
  readonly addedAt: number
  /** Milliseconds since 1970 when it became `done` or `dead`. */
  readonly endedAt?: number | undefined
  /** Place of the task in a list; for `after` of the next page. */
  readonly cursor: string
}

/** The failure that made a task `dead`. */
export interface TaskFailure {
  /** For programs: the `code` of what was thrown, `error`, or `process_died`. */
  readonly code: string
  /** For people. */
  readonly message: string
}

/** A task in the hands of its handler. */
export interface Task {
  /** Unique within its queue. */
  readonly id: string
  /** What it was added with. */
  readonly data: Json
  /** The number of this attempt, from 1. Attempts that ended with {@link Again} do not count. */
  readonly attempt: number
  /** How often a process died, or lost its lock, while it ran this task. */
  readonly lost: number
  /** Rises with every run of the task: a store that keeps it can reject a handler that is late. */
  readonly fence: number
  /** Aborts when the lock is lost, or `maxRunMs` is over. What the handler does from then on does not count. */
  readonly signal: AbortSignal
  /** Milliseconds until the lock ends, by the clock. */
  msLeft(): number
}

/** Runs a task. What it returns is kept as the result. Throws to try again; {@link Again} and {@link Permanent} say how. */
export type TaskHandler = (task: Task) => Promise<Json | undefined>

/** At most `max` tasks start within any `perMs`, over all processes. Taken before a task is locked. */
export interface Rate {
  /** A number of tasks. */
  readonly max: number
  /** In milliseconds. */
  readonly perMs: number
}

/** How the tasks of a queue are worked. */
export interface WorkOptions {
  /** Tasks at once in this process. Default 10. */
  concurrency?: number | undefined
  /** A lock lasts so long, and is renewed while the handler runs. A dead process is noticed after it. Default 30,000. */
  lockMs?: number | undefined
  /** The longest run of a handler. It frees its place then, and has failed. Default 600,000. */
  maxRunMs?: number | undefined
  /** Failed attempts until a task is dead. Default 8. */
  attempts?: number | undefined
  /** Wait after the first failure; it doubles with every other, up to 5 minutes. Default 1,000. */
  backoffMs?: number | undefined
  /** Default: no limit. Needs a value of its own for each queue. */
  rate?: Rate | undefined
  /** Called by the worker that makes a task dead because its processes died too often. */
  onProcessDied?: ((task: DiedTask) => void) | undefined
}

/** A task that is dead because its processes died too often. */
export interface DiedTask {
  /** Unique within its queue. */
  readonly id: string
  /** What it was added with. */
  readonly data: Json
  /** Runs of the handler, including the runs whose process died. */
  readonly runs: number
}

/** Works the tasks of a queue in this process. */
export interface Worker {
  /** Starts no further task, and resolves when those that run have ended. */
  stop(): Promise<void>
}

/** Which tasks a list has. */
export interface TaskList {
  /** Default 100. */
  limit?: number | undefined
  /** The `cursor` of the last task that was read. Default: from the start. */
  after?: string | undefined
}

/**
 * What an inbox needs of a durable queue. The engines of `@modelrun/durable` have it; without one, the inbox keeps its
 * tasks in memory. A task is known by its queue and id, and is kept until it is removed.
 */
export interface InboxEngine {
  /** Creates what the store needs. Safe to repeat, and from many processes at once. */
  setup(): Promise<void>
  /** Adds a task. When the queue holds the id already, in any state, nothing changes. Resolves when it is durable. */
  add(queue: string, id: string, options: { data: Json; delayMs?: number | undefined }): Promise<void>
  /** Starts to work the tasks of a queue in this process. */
  work(queue: string, handler: TaskHandler, options?: WorkOptions): Worker
  /** The task, in any state; `undefined` when the queue does not hold the id. */
  get(queue: string, id: string): Promise<TaskRecord | undefined>
  /** Tasks of a state: `done` and `dead` in the order in which they ended, others in the order in which they were added. */
  list(queue: string, state: TaskState, list?: TaskList): Promise<TaskRecord[]>
  /** Makes a dead task wait again, as if it had never run. Resolves to whether it was dead. */
  replay(queue: string, id: string): Promise<boolean>
  /** Removes a task that does not run. Its id is free then. Resolves to whether there was one. */
  remove(queue: string, id: string): Promise<boolean>
}
