import { type RetryLimits, RunTimeout } from 'modelrun/webhooks'
import type { AloneLock } from './alone-lock.ts'
import type { TaskHandler, Worker, WorkOptions } from './engine.ts'
import { repeatUntilStored, STORE_BACKOFF } from './repeat.ts'
import { TaskRun } from './run-task.ts'
import type { Spacing } from './spacing.ts'
import type { LockedTask, TaskEnd, TaskTable } from './task-table.ts'

/** Resolved options of a worker. */
export interface WorkerSettings extends RetryLimits {
  concurrency: number
  lockMs: number
  maxRunMs: number
  spacing: Spacing | undefined
  onProcessDied: WorkOptions['onProcessDied']
}

/** The parts that the workers of an engine share. */
export interface WorkerContext {
  table: TaskTable
  aloneLock: AloneLock<TableWorker>
  /** Longest time between two reads of the table, in milliseconds. */
  pollMs: number
  onError(error: unknown): void
}

/** A worker of one queue in this process. */
export class TableWorker implements Worker {
  readonly #queue: string
  readonly #handler: TaskHandler
  readonly #settings: WorkerSettings
  readonly #context: WorkerContext
  readonly #runs = new Set<TaskRun>()
  /** Number of runs whose handler has not ended yet. */
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
    context.aloneLock.join(this, () => this.wake())
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
    this.#context.aloneLock.leave(this)
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
    const { aloneLock, table, pollMs } = this.#context
    const { concurrency, lockMs, spacing } = this.#settings
    const allowed = aloneLock.allows(this)
    const alone = allowed === 'suspect'
    const limit = alone ? 1 : concurrency - this.#handling
    if (allowed === 'none' || limit <= 0) return
    const lockedUntil = performance.now() + lockMs
    const request = { queue: this.#queue, limit, alone, lockMs, spacing }
    const { tasks, nextMs, hasSuspect, died } = await table.lock(request)
    for (const task of tasks) void this.#run(task, lockedUntil, alone)
    for (const task of died) this.#reportDied(task)
    if (alone && tasks.length === 0) aloneLock.release(this)
    if (hasSuspect && !alone) {
      aloneLock.request(this)
      this.#isWanted ||= aloneLock.allows(this) === 'suspect'
    }
    this.#wakeIn(Math.min(pollMs, nextMs ?? pollMs))
  }

  async #run(locked: LockedTask, lockedUntil: number, alone: boolean): Promise<void> {
    const { aloneLock } = this.#context
    const run = new TaskRun(locked, lockedUntil)
    this.#runs.add(run)
    this.#handling += 1
    aloneLock.start()
    // After a stall of the process, another one may have the task.
    const end = run.msLeft() > 0 ? await this.#handle(run) : undefined
    this.#handling -= 1
    const stored = end === undefined ? this.#giveBack(run) : this.#end(run, end)
    // Locks the next tasks while the end is written: a store can write both in one transaction.
    if (end?.kind === 'done') this.wake()
    await stored
    this.#runs.delete(run)
    if (alone) aloneLock.release(this)
    aloneLock.end()
    this.#settleIdle()
    // A task that runs again may be due.
    if (end?.kind !== 'done') this.wake()
  }

  async #handle(run: TaskRun): Promise<TaskEnd> {
    const { maxRunMs } = this.#settings
    const timer = setTimeout(() => run.abort(new RunTimeout(maxRunMs)), maxRunMs)
    const end = await run.run(this.#handler, this.#settings)
    clearTimeout(timer)
    return end
  }

  /** Releases a task whose lock came too late. Repeated, because a task that looks lost four times becomes dead. */
  async #giveBack({ task, fence }: TaskRun): Promise<void> {
    const { table, onError } = this.#context
    const untilMs = performance.now() + this.#settings.lockMs
    const change = () => table.giveBack(this.#queue, { id: task.id, fence })
    await repeatUntilStored(change, { ...STORE_BACKOFF, onError, isWanted: () => performance.now() < untilMs })
  }

  /** Writes the end of a run. Repeated while the lock holds, so that a short outage of the store loses no end. */
  async #end(run: TaskRun, end: TaskEnd): Promise<void> {
    const { table, onError } = this.#context
    const { task, fence } = run
    const change = () => table.end(this.#queue, { id: task.id, fence }, end)
    await repeatUntilStored(change, { ...STORE_BACKOFF, onError, isWanted: () => run.msLeft() > 0 })
  }

  #reportDied({ id, data, attempts, lost }: LockedTask): void {
    try {
      this.#settings.onProcessDied?.({ id, data, runs: attempts + lost })
    } catch (error) {
      this.#context.onError(error)
    }
  }

  async #renew(): Promise<void> {
    const { lockMs } = this.#settings
    // First by the clock of this process: a store that does not respond must not delay the abort.
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
