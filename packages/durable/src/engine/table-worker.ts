import { type RetryLimits, RunTimeout } from 'modelrun/webhooks'
import type { TaskHandler, Worker } from './engine.ts'
import type { Room } from './room.ts'
import { TaskRun } from './run-task.ts'
import type { Spacing } from './spacing.ts'
import type { LockedTask, TaskEnd, TaskTable } from './task-table.ts'

/** Options of a worker, resolved. */
export interface WorkerSettings extends RetryLimits {
  concurrency: number
  lockMs: number
  maxRunMs: number
  spacing: Spacing | undefined
}

/** What the workers of an engine share. */
export interface WorkerContext {
  table: TaskTable
  room: Room<TableWorker>
  /** The longest time between two looks at the table, in milliseconds. */
  pollMs: number
  onError(error: unknown): void
}

const FIRST_RETRY_MS = 50
const LONGEST_RETRY_MS = 2_000

/** Works the tasks of one queue in this process. */
export class TableWorker implements Worker {
  readonly #queue: string
  readonly #handler: TaskHandler
  readonly #settings: WorkerSettings
  readonly #context: WorkerContext
  readonly #runs = new Set<TaskRun>()
  /** Those of the runs whose handler has not ended yet. */
  #handling = 0
  readonly #onIdle: (() => void)[] = []
  readonly #renewTimer: NodeJS.Timeout
  #timer: NodeJS.Timeout | undefined
  #isLocking = false
  #isWanted = false
  #isStopped = false

  constructor(
    { queue, handler, settings }: { queue: string; handler: TaskHandler; settings: WorkerSettings },
    context: WorkerContext,
  ) {
    this.#queue = queue
    this.#handler = handler
    this.#settings = settings
    this.#context = context
    context.room.join(this, () => this.wake())
    this.#renewTimer = setInterval(() => void this.#renew(), settings.lockMs / 3)
    this.wake()
  }

  get queue(): string {
    return this.#queue
  }

  /** A task may be due. */
  wake(): void {
    this.#isWanted = true
    if (!this.#isLocking) void this.#lockTasks()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#context.room.leave(this)
    while (this.#runs.size > 0 || this.#isLocking) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
    clearInterval(this.#renewTimer)
  }

  async #lockTasks(): Promise<void> {
    this.#isLocking = true
    try {
      while (this.#isWanted && !this.#isStopped) {
        this.#isWanted = false
        clearTimeout(this.#timer)
        await this.#lockOnce()
      }
    } catch (error) {
      this.#context.onError(error)
      this.#wakeIn(this.#context.pollMs)
    } finally {
      this.#isLocking = false
      this.#settleIdle()
    }
  }

  async #lockOnce(): Promise<void> {
    const { room, table, pollMs } = this.#context
    const { concurrency, lockMs, spacing } = this.#settings
    const allowed = room.allows(this)
    const alone = allowed === 'suspect'
    const limit = alone ? 1 : concurrency - this.#handling
    if (allowed === 'none' || limit <= 0) return
    const lockedUntil = performance.now() + lockMs
    const { tasks, nextMs, hasSuspect } = await table.lock({ queue: this.#queue, limit, alone, lockMs, spacing })
    for (const task of tasks) void this.#run(task, lockedUntil, alone)
    if (alone && tasks.length === 0) room.endAlone(this)
    if (hasSuspect && !alone) {
      room.wantAlone(this)
      this.#isWanted ||= room.allows(this) === 'suspect'
    }
    this.#wakeIn(Math.min(pollMs, nextMs ?? pollMs))
  }

  async #run(locked: LockedTask, lockedUntil: number, alone: boolean): Promise<void> {
    const { room } = this.#context
    const run = new TaskRun(locked, lockedUntil)
    this.#runs.add(run)
    this.#handling += 1
    room.start()
    // A process that stood still may start late: another may have the task by now.
    const end = run.msLeft() > 0 ? await this.#handle(run) : undefined
    this.#handling -= 1
    const isKept = end === undefined ? this.#giveBack(run) : this.#end(run, end)
    // The next tasks are locked while the end is written: a store can write both at once.
    if (end?.kind === 'done') this.wake()
    await isKept
    this.#runs.delete(run)
    if (alone) room.endAlone(this)
    room.end()
    this.#settleIdle()
    // What comes again may be due.
    if (end?.kind !== 'done') this.wake()
  }

  async #handle(run: TaskRun): Promise<TaskEnd> {
    const { maxRunMs } = this.#settings
    const timer = setTimeout(() => run.abort(new RunTimeout(maxRunMs)), maxRunMs)
    const end = await run.run(this.#handler, this.#settings)
    clearTimeout(timer)
    return end
  }

  /** Unless another has it already: a task that was not started has lost no process. */
  async #giveBack({ task, fence }: TaskRun): Promise<void> {
    const end = { kind: 'again', delayMs: 0, pausesQueue: false } as const
    await this.#context.table.end(this.#queue, { id: task.id, fence }, end).catch(this.#context.onError)
  }

  /** Repeated while the lock holds: a store that is away for a moment loses no end. */
  async #end(run: TaskRun, end: TaskEnd): Promise<void> {
    for (let delayMs = FIRST_RETRY_MS; run.msLeft() > 0; delayMs = Math.min(LONGEST_RETRY_MS, delayMs * 2)) {
      try {
        await this.#context.table.end(this.#queue, { id: run.task.id, fence: run.fence }, end)
        return
      } catch (error) {
        this.#context.onError(error)
        await new Promise((resolve) => setTimeout(resolve, delayMs))
      }
    }
  }

  async #renew(): Promise<void> {
    const { lockMs } = this.#settings
    // By the clock first: a store that does not respond must not keep a handler from its end.
    for (const run of this.#runs) if (run.msLeft() === 0) run.abort(lockIsLost())
    const runs = [...this.#runs].filter((run) => run.msLeft() > 0)
    if (runs.length === 0) return
    const lockedUntil = performance.now() + lockMs
    let kept: ReadonlySet<string> | undefined
    try {
      const fences = new Map(runs.map(({ task, fence }) => [task.id, fence]))
      kept = await this.#context.table.renew(this.#queue, fences, lockMs)
    } catch (error) {
      this.#context.onError(error)
    }
    for (const run of runs) {
      if (kept?.has(run.task.id)) run.renewed(lockedUntil)
      else if (kept !== undefined) run.abort(lockIsLost())
    }
  }

  #wakeIn(delayMs: number): void {
    clearTimeout(this.#timer)
    if (!this.#isStopped) this.#timer = setTimeout(() => this.wake(), delayMs)
  }

  #settleIdle(): void {
    if (this.#runs.size === 0 && !this.#isLocking) for (const resolve of this.#onIdle.splice(0)) resolve()
  }
}

function lockIsLost(): Error {
  return new Error('The lock of the task is lost.')
}
