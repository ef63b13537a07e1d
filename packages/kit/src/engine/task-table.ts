import type { Json, Rate, TaskFailure, TaskList, TaskRecord, TaskState } from './engine.ts'
import type { TaskEnd } from './task-ends.ts'

export interface LockedTask {
  readonly id: string
  readonly data: Json
  readonly attempts: number
  /** How often a process died, or lost its lock, after it had marked a run of this task as started. */
  readonly lost: number
  readonly fence: number
  /** When it was added, in a store of several processes. */
  readonly addedAt?: number | undefined
}

export interface LockRequest {
  queue: string
  /** Maximum number of tasks; 1 with a rate. */
  limit: number
  lockMs: number
  /** Default: no limit. A start is taken only with a lock. */
  spacing: Spacing | undefined
}

/** The tasks that were locked, and when to ask again. */
export interface LockedTasks {
  tasks: readonly LockedTask[]
  /** Milliseconds until another task can be locked; `undefined` when none is known. 0 only with a task: ask again. */
  nextMs: number | undefined
}

export interface LockOneRequest extends Pick<LockRequest, 'queue' | 'lockMs' | 'spacing'> {
  id: string
  /** Also before the task is due. */
  isEarly: boolean
  /** Also while the queue is paused. */
  ignoresPause: boolean
}

/** The task that was locked, or why it was not. */
export type LockedOne = { task: LockedTask } | { task: undefined; isRunning: boolean; waitMs: number }

/** The tasks of an engine: in memory, or in a database, whose clock locks then use. */
export interface TaskTable {
  setup(): Promise<void>
  add(queue: string, id: string, task: { data: string; delayMs: number }): Promise<void>
  update(queue: string, id: string, data: string): Promise<boolean>
  lock(request: LockRequest): Promise<LockedTasks>
  /** Locks one task by its id. Missing in memory, where only inboxes run. */
  lockOne?(request: LockOneRequest): Promise<LockedOne>
  /**
   * Reads with one statement in how many milliseconds the next task of each queue can be locked, without queues that have none.
   * Missing where each worker polls its own queue.
   */
  nextDue?(queues: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Calls back when any process calls `notify`. Resolves to what ends that; to `undefined` when there are no notifications. */
  listen?(onNotify: () => void, onEnd: () => void): Promise<(() => Promise<void>) | undefined>
  /** Notifies the workers of all processes that something is due. Never throws. */
  notify?(): void
  /** Resolves to the ids that are still locked with these fences. */
  renew(queue: string, fences: ReadonlyMap<string, number>, lockMs: number): Promise<ReadonlySet<string>>
  /**
   * Marks runs as started: until its mark is stored, a run that ends with its process does not count as lost. Resolves to the
   * ids that are still locked with these fences. The marks are on the disk then.
   */
  markStarted(queue: string, fences: ReadonlyMap<string, number>): Promise<ReadonlySet<string>>
  /** Resolves to whether the task was still locked with this fence. */
  end(queue: string, task: { id: string; fence: number }, end: TaskEnd): Promise<boolean>
  get(queue: string, id: string): Promise<TaskRecord | undefined>
  list(queue: string, state: TaskState, list: TaskList & { limit: number }): Promise<TaskRecord[]>
  replay(queue: string, id: string): Promise<boolean>
  remove(queue: string, id: string): Promise<boolean>
}

/** Processes that a task may lose before it is a suspect. A suspect runs alone: it may be what ends processes. */
export const SUSPECT_AFTER = 2

/** Processes that a task may lose before it is dead. */
export const POISON_AFTER = 4

/** The failure of a task that has lost {@link POISON_AFTER} processes. */
export const PROCESS_DIED: TaskFailure = {
  code: 'process_died',
  message: `The process that ran this task died ${POISON_AFTER} times.`,
}

/** Share of `perMs` by which a start may be early, so that a worker whose timer was late can catch up. */
const SLACK = 0.05

/** Evenly spaced starts of a rate limit. */
export interface Spacing {
  /** How much a start may be early. */
  slackMs: number
  /** Time between two starts. */
  stepMs: number
}

interface Starts {
  now: number
  /** When the next task would start if all were evenly spaced. */
  nextStart: number
}

/** Returns the spacing with which at most `max` tasks start within any `perMs`. */
export function spacingOf({ max, perMs }: Rate): Spacing {
  const slackMs = perMs * SLACK
  return { slackMs, stepMs: (perMs + slackMs) / max }
}

/** Returns `nextStart` after a task has started. */
export function startAfter(spacing: Spacing, starts: Starts): number {
  return Math.max(starts.now, knownStart(spacing, starts)) + spacing.stepMs
}

/** Returns the milliseconds until a task may start; 0 when one may start now. */
export function msUntilStart(spacing: Spacing, starts: Starts): number {
  const waitMs = knownStart(spacing, starts) - spacing.slackMs - starts.now
  return waitMs < 0 ? 0 : Math.ceil(waitMs) + 1
}

/** A start further ahead than the rate can make it was stored before the clock was set back, and does not count. */
function knownStart({ slackMs, stepMs }: Spacing, { now, nextStart }: Starts): number {
  return nextStart > now + slackMs + stepMs ? now : nextStart
}
